@preconcurrency import Foundation

// A line is seen when it is printed, also by the reader of a pipe.
setvbuf(stdout, nil, _IOLBF, 0)
exit(await Tool(console: .standard).run(Array(CommandLine.arguments.dropFirst())).rawValue)
