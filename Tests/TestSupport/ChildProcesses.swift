import Foundation

/// The child processes of the tests, which would outlive this process.
enum ChildProcesses {
  /// Kills them, on systems that list processes as files.
  static func end() {
    let entries = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    for child in entries.compactMap({ pid_t($0) }) where parent(of: child) == getpid() { kill(child, SIGKILL) }
  }

  private static func parent(of process: pid_t) -> pid_t? {
    guard let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else { return nil }
    // The number, the name in parentheses, the state, and the parent's number.
    let fields = status[(status.lastIndex(of: ")") ?? status.startIndex)...].split(separator: " ")
    return fields.count > 2 ? pid_t(fields[2]) : nil
  }
}
