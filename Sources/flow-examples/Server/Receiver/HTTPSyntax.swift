import Foundation

/// The grammar of the single lines of a request, according to RFC 9112.
enum HTTPSyntax {
  enum BodyLength: Hashable {
    case none
    case known(Int)
    case chunked
  }

  /// Reads `PUT /photo-01.jpg HTTP/1.1`.
  static func request(fromLine line: Data) throws(HTTPParsingError) -> HTTPRequest {
    let words = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    guard words.count == 3, isToken(words[0]), isTarget(words[1]) else { throw .malformed("request line") }
    switch words[2] {
    case "HTTP/1.1": return HTTPRequest(method: words[0], target: words[1], minorVersion: 1)
    case "HTTP/1.0": return HTTPRequest(method: words[0], target: words[1], minorVersion: 0)
    case let version where version.hasPrefix("HTTP/"): throw .unknownVersion(version)
    default: throw .malformed("request line")
    }
  }

  /// Reads `Content-Length: 12`.
  static func addField(
    fromLine line: Data, to headers: inout [String: String]
  ) throws(HTTPParsingError) {
    let parts = line.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    guard parts.count == 2, isToken(parts[0]), !parts[1].unicodeScalars.contains(where: isForbidden) else {
      throw .malformed("header field")
    }
    let name = parts[0].lowercased()
    let value = parts[1].trimmingCharacters(in: blanks)
    guard let former = headers[name] else {
      headers[name] = value
      return
    }
    // Two lengths or hosts allow two readings of one request, which attackers use to smuggle requests.
    guard name != "content-length", name != "host" else { throw .malformed("repeated field \(name)") }
    headers[name] = former + ", " + value
  }

  /// Reads `1f40`, with or without an extension after a semicolon.
  static func chunkSize(fromLine line: Data) throws(HTTPParsingError) -> Int {
    let digits = String(decoding: line.prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self)
      .trimmingCharacters(in: blanks)
    // The digits are checked because `Int` also accepts a sign.
    guard digits.utf8.allSatisfy(isHexadecimal), let size = Int(digits, radix: 16) else {
      throw .malformed("chunk size")
    }
    return size
  }

  /// Determines how the body of a request with complete headers is delimited.
  static func bodyLength(of request: HTTPRequest) throws(HTTPParsingError) -> BodyLength {
    guard request.minorVersion == 0 || request.headers["host"] != nil else { throw .malformed("lack of a host") }
    let length = request.headers["content-length"]
    if let encoding = request.headers["transfer-encoding"] {
      guard length == nil, request.minorVersion == 1 else { throw .malformed("length of the body") }
      guard encoding.lowercased() == "chunked" else { throw .unknownTransferEncoding(encoding) }
      return .chunked
    }
    guard let length else { return .none }
    guard length.utf8.allSatisfy(isDecimal), let count = Int(length) else { throw .malformed("length of the body") }
    return .known(count)
  }

  /// The white space of the grammar, which is less than Unicode's.
  private static let blanks = CharacterSet(charactersIn: " \t")

  private static let tokenMarks = Set("!#$%&'*+-.^_`|~".utf8)

  private static func isToken(_ word: String) -> Bool {
    !word.isEmpty && word.utf8.allSatisfy { isLetter($0) || isDecimal($0) || tokenMarks.contains($0) }
  }

  private static func isTarget(_ word: String) -> Bool {
    word.utf8.first == UInt8(ascii: "/") && word.utf8.allSatisfy { (0x21...0x7E).contains($0) }
  }

  private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
    scalar != "\t" && scalar.properties.generalCategory == .control
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  private static func isDecimal(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private static func isHexadecimal(_ byte: UInt8) -> Bool {
    isDecimal(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
  }
}
