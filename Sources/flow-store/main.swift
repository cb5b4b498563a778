@preconcurrency import Foundation

// The output is buffered by lines, so that the reader of a pipe sees each line when it is printed.
setvbuf(stdout, nil, _IOLBF, 0)
exit(await Tool(console: .standard).run(Array(CommandLine.arguments.dropFirst())).rawValue)
