import Foundation

/// Other processes that use processors during a measurement.
enum BackgroundLoad {
  /// The option for a child of this program that uses one processor.
  static let option = "--spin"

  /// Starts this many processes; they end when this one does.
  static func start(_ count: Int) throws {
    for _ in 0..<count {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
      process.arguments = [option, "\(ProcessInfo.processInfo.processIdentifier)"]
      try process.run()
    }
  }

  /// Uses one processor until the process with this number has ended.
  static func spin(for parent: Int32) {
    while kill(parent, 0) == 0 {
      let end = DispatchTime.now() + .milliseconds(50)
      while DispatchTime.now() < end {}
    }
  }
}
