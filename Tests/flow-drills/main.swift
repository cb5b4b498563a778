@preconcurrency import Foundation
import Uploader

// The reader of a pipe receives each line when it is printed.
setvbuf(stdout, nil, _IOLBF, 0)
ChildProcess.endWithParent()
do {
  let command = try DrillCommand(arguments: Array(CommandLine.arguments.dropFirst()))
  exit(await command.run())
} catch {
  Console.report("flow-drills: \(error)")
  exit(2)
}
