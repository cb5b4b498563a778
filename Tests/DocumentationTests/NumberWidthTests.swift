import Foundation
import TestSupport
import Testing

/// Checks for numbers that don't fit an `Int` of 32 bits, as on a watch: they don't compile, and `1 << 32` is zero
/// there.
@Suite(.watched) struct NumberWidthTests {
  @Test func `no number of the library needs an Int of 64 bits`() throws {
    let files = SourceTree.files(in: "Sources", ending: ".swift").filter { !$0.hasPrefix("Sources/flow-") }
    try #require(files.count > 100)
    for file in files {
      #expect(Self.wideNumbers(in: try SourceTree.text(of: file)) == [], "give it a type of 64 bits in \(file)")
    }
  }

  @Test(
    arguments: [
      ("static let longest = 3_155_760_000", true), ("case let value where value < 4294967296:", true),
      ("min(time, 1 << 50)", true), ("0...(1 << 31)", true), ("min(time, Int64(1) << 50)", false),
      (".seconds(3_155_760_000 as Int64)", false), ("let most = 2_147_483_647", false), ("1 << 30", false),
      ("// About 3_155_760_000 seconds.", false), ("(hash >> 33) &* 31", false),
    ])
  func `a number that is planted is found`(line: String, isFound: Bool) {
    #expect(Self.wideNumbers(in: line).isEmpty == !isFound)
  }

  /// A journal may be from a machine with wider numbers.
  ///
  /// A number that doesn't fit has to be an error.
  @Test func `no number of a journal's file is converted in a way that may end the process`() throws {
    let files = ["Sources/OperationFlowDurable", "Sources/OperationFlowStorage"].flatMap {
      SourceTree.files(in: $0, ending: ".swift")
    }
    try #require(files.count > 30)
    for file in files {
      #expect(Self.conversions(in: try SourceTree.text(of: file)) == [], "convert it exactly or clamped in \(file)")
    }
  }

  @Test(
    arguments: [
      ("let count = Int(bytes.number(at: 4) as UInt32)", true), ("return Int(status.st_size)", true),
      ("Int(date.timeIntervalSince1970)", true), ("UInt32(offset)", true), ("Int(exactly: number)", false),
      ("Int(clamping: number)", false), ("Int64(date.timeIntervalSince1970)", false), ("Int(step)", false),
      ("UInt32(clamping: offset)", false), ("Int(text())", false),
    ])
  func `a conversion that is planted is found`(line: String, isFound: Bool) {
    #expect(Self.conversions(in: line).isEmpty == !isFound)
  }

  /// Returns the lines with conversions to an `Int`, or to fewer bits, that trap if the number doesn't fit.
  ///
  /// Steps, bytes, and lengths that were bounded when they were made are known to fit. The conversion of a text is
  /// optional.
  private static func conversions(in text: String) -> [Substring] {
    text.split(separator: "\n").filter { line in
      let code = line.prefix(upTo: line.firstRange(of: "//")?.lowerBound ?? line.endIndex)
      return code.matches(of: #/\bU?Int(?:32)?\(([^)]*)/#).contains { match in
        !match.1.contains(#/^(?:exactly:|clamping:|truncatingIfNeeded:|bitPattern:|littleEndian:)/#)
          && !["source.step", "step", "Int32.max", "text(", "entry.count", "id.utf8.count", "byte"].contains(match.1)
          && !match.1.contains(#/& 0xFF$|^\(?rest \^|^lines\[|^\$1$|^[0-9]+$/#)
      }
    }
  }

  /// Returns the lines with wide numbers whose type isn't written beside them.
  ///
  /// Hexadecimal numbers are bit patterns.
  private static func wideNumbers(in text: String) -> [Substring] {
    text.split(separator: "\n").filter { line in
      // Excludes most lines at little cost: the patterns below are slow.
      guard line.utf8.count(where: isDigit) > 9 || line.utf8.contains(UInt8(ascii: "<")) else { return false }
      let code = line.prefix(upTo: line.firstRange(of: "//")?.lowerBound ?? line.endIndex)
      if code.contains("Int64") { return false }
      let numbers = code.matches(of: #/(?:^|[^\w.])([0-9][0-9_]*)(?![\w.])/#).compactMap {
        UInt64($0.1.replacing("_", with: ""))
      }
      let shifts = code.matches(of: #/[0-9] << ([0-9]+)/#).compactMap { Int($0.1) }
      return numbers.contains { $0 > UInt64(Int32.max) } || shifts.contains { $0 >= 31 }
    }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
