import Foundation

ChildProcess.endWithParent()
do {
  let command = try Command(arguments: Array(CommandLine.arguments.dropFirst()))
  exit(await command.run())
} catch {
  Console.report("flow-examples: \(error)")
  exit(2)
}
