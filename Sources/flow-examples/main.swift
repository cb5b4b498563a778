@preconcurrency import Foundation
import Uploader

// Each line is visible when it is printed, also to the reader of a pipe.
setvbuf(stdout, nil, _IOLBF, 0)
ExampleProcess.endWithParent()
do {
  let command = try Command(arguments: Array(CommandLine.arguments.dropFirst()))
  exit(await command.run())
} catch {
  Console.report("flow-examples: \(error)")
  exit(2)
}
