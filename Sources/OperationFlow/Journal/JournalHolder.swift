import Foundation

/// Who holds a journal: a process, on a machine, since a moment.
struct JournalHolder: Equatable, CustomStringConvertible {
  var process: Int32
  var host: String
  /// The time in seconds since 1970, which is how it is stored.
  var since: Int

  static func current(since date: Date = Date()) -> JournalHolder {
    JournalHolder(
      process: ProcessInfo.processInfo.processIdentifier, host: hostName,
      since: Int(date.timeIntervalSince1970))
  }

  var description: String {
    let date = Date(timeIntervalSince1970: TimeInterval(since))
    let isHere = process == ProcessInfo.processInfo.processIdentifier
    return "\(isHere ? "this process" : "process"), \(process) on \(host), since \(date.ISO8601Format())"
  }

  /// The name of the machine, without asking a server for it.
  private static let hostName: String = {
    var name = [CChar](repeating: 0, count: 256)
    guard gethostname(&name, name.count - 1) == 0 else { return "an unknown host" }
    return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }()
}
