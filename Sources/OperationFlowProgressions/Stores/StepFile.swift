import Foundation
import OperationFlow
import OperationFlowStorage

/// A stored step as a file: its name, and its contents.
///
/// A file begins with a line that contains the format's version, the step's length and its checksum; the step follows.
/// No JSON begins like that line, so a file that contains only the step, as a store of your own may write it, is
/// recognized.
enum StepFile {
  private static let suffix = ".step.json"
  private static let mark = "OperationFlow step "
  private static let version = "1"

  // MARK: Names

  /// Returns the name for a key: no two keys have the same name, and none leaves the folder.
  static func name(of key: String) -> String { EscapedName.name(of: key, suffix: suffix) }

  // MARK: Contents

  static func contents(for step: Data) -> Data {
    Data("\(mark)\(version) \(step.count) \(CyclicChecksum.text(of: step))\n".utf8) + step
  }

  /// Returns the step in a file.
  ///
  /// - Throws: ``FlowError`` with the code `unreadableStep` if the file isn't as it was written.
  static func step(in contents: Data, key: String, path: String) throws(FlowError) -> Data {
    if let first = contents.first, mayBeginJSON(first) { return contents }
    let line = contents.prefix(80).prefix { $0 != UInt8(ascii: "\n") }
    let fields = String(decoding: line, as: UTF8.self).split(separator: " ", omittingEmptySubsequences: false)
    guard line.starts(with: mark.utf8), line.count < min(contents.count, 80), fields.count >= 3 else {
      throw .damagedStep("its first line is broken", key: key, path: path)
    }
    guard fields[2] == version else { throw .newerStep(version: String(fields[2]), key: key, path: path) }
    guard fields.count == 5, let count = Int(fields[3]) else {
      throw .damagedStep("its first line is broken", key: key, path: path)
    }
    let step = contents.dropFirst(line.count + 1)
    guard step.count == count else {
      throw .damagedStep("it holds \(step.count) bytes of \(count)", key: key, path: path)
    }
    guard CyclicChecksum.text(of: step) == fields[4] else {
      throw .damagedStep("its checksum is another", key: key, path: path)
    }
    return Data(step)
  }

  private static func mayBeginJSON(_ byte: UInt8) -> Bool { "{[\"-0123456789tfn \t\r\n".utf8.contains(byte) }
}

extension FlowError {
  fileprivate static func damagedStep(_ fault: String, key: String, path: String) -> FlowError {
    FlowError(
      .unreadableStep, "what is stored as <\(key)> is damaged: \(fault)",
      remedy: "Put \(path) back from a copy, or clear <\(key)> in the store to begin anew; the file is untouched.",
      key: key)
  }

  fileprivate static func newerStep(version: String, key: String, path: String) -> FlowError {
    FlowError(
      .unreadableStep, "what is stored as <\(key)> has the format \(ValueText.cut(version)), which isn't known here",
      remedy: "Go on with the version of the library that wrote \(path), or clear <\(key)> in the store to begin anew; "
        + "the file is untouched.", key: key)
  }
}
