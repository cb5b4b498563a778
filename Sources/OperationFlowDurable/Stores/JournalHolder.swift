import Foundation
import OperationFlow
import OperationFlowStorage

/// The process that has a journal open, with its machine and the time when it opened the journal.
struct JournalHolder: Equatable, CustomStringConvertible {
  var process: Int32
  var host: String
  /// The time in whole seconds since 1970, as the file has it.
  var since: Int64

  static func current(since date: Date = Date()) -> JournalHolder {
    JournalHolder(
      process: ProcessInfo.processInfo.processIdentifier, host: hostName, since: Int64(date.timeIntervalSince1970))
  }

  var description: String {
    let date = Date(timeIntervalSince1970: TimeInterval(since))
    let isHere = process == ProcessInfo.processInfo.processIdentifier && host == Self.hostName
    let name = isHere ? "this process (\(process) on \(host))" : "process \(process) on \(host)"
    return "\(name), since \(date.ISO8601Format())"
  }

  // MARK: As a file

  /// The text of a lock's file: three lines with the process, the machine and the time.
  var encoded: String { "\(process)\n\(host)\n\(since)\n" }

  init(process: Int32, host: String, since: Int64) {
    self.process = process
    self.host = host
    self.since = since
  }

  /// Reads an encoded text; `nil` if the text is incomplete, or something else.
  init?(encoded text: String) {
    let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    guard lines.count >= 4, let process = Int32(lines[0]), let since = Int64(lines[2]) else { return nil }
    self.init(process: process, host: lines[1], since: since)
  }

  /// The name of the machine, found without a request to a server.
  private static let hostName: String = {
    var name = [CChar](repeating: 0, count: 256)
    guard gethostname(&name, name.count - 1) == 0 else { return "an unknown host" }
    return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }()
}
