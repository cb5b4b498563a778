import Foundation

/// Other processes that keep processors busy while something is measured.
enum BackgroundLoad {
  /// The option with which a child of this program keeps one processor busy.
  static let option = "--spin"

  /// Starts as many processes; they end when this one does.
  static func start(_ count: Int) throws {
    for _ in 0..<count {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
      process.arguments = [option, "\(ProcessInfo.processInfo.processIdentifier)"]
      try process.run()
    }
  }

  /// Keeps one processor busy until the process with this number is gone.
  static func spin(for parent: Int32) {
    while kill(parent, 0) == 0 {
      let end = DispatchTime.now() + .milliseconds(50)
      while DispatchTime.now() < end {}
    }
  }
}
