import Foundation

/// Turns bytes, however they are split, into requests, without using a socket.
struct HTTPRequestParser {
  enum Outcome: Hashable {
    case needsMore
    /// The header is complete: the request so far, without its body.
    case head(HTTPRequest)
    case expectsContinue
    case request(HTTPRequest)
    /// The connection can't be used any longer: where the next request begins is unknown.
    case failure(HTTPParsingError)
  }

  private enum State {
    case requestLine
    case headerFields
    case bodyStart
    case body(missing: Int)
    case chunkSize
    case chunk(missing: Int)
    case chunkEnd
    case trailerFields
  }

  private let limits: HTTPLimits
  private var state = State.requestLine
  private var input = HTTPInput()

  /// The number of bytes so far in the unfinished header, trailer or line of a chunk size.
  private var lineBytes = 0

  /// The unfinished request.
  ///
  /// It isn't part of `state`, so that its body grows in place.
  private var request = HTTPRequest(method: "", target: "")

  init(limits: HTTPLimits = HTTPLimits()) {
    self.limits = limits
  }

  /// The number of bytes that have arrived and aren't part of what was returned so far.
  var unreadCount: Int { input.count }

  /// Appends bytes from the client.
  mutating func append(_ bytes: Data) {
    input.append(bytes)
  }

  /// Returns what the bytes so far amount to; call again after every outcome except `needsMore` and `failure`.
  mutating func next() -> Outcome {
    do throws(HTTPParsingError) {
      while true {
        if let outcome = try advance() { return outcome }
      }
    } catch {
      return .failure(error)
    }
  }

  /// Performs one step, and returns its outcome if there is one to return.
  private mutating func advance() throws(HTTPParsingError) -> Outcome? {
    switch state {
    case .bodyStart:
      return try beginBody()
    case .body(let missing):
      let taken = takeBody(atMost: missing)
      if taken == missing { return finishRequest() }
      state = .body(missing: missing - taken)
      return .needsMore
    case .chunk(let missing):
      let taken = takeBody(atMost: missing)
      state = taken == missing ? .chunkEnd : .chunk(missing: missing - taken)
      return taken == missing ? nil : .needsMore
    case .requestLine, .headerFields, .chunkSize, .chunkEnd, .trailerFields:
      guard let line = try takeLine() else { return .needsMore }
      return try interpret(line)
    }
  }

  private mutating func interpret(_ line: Data) throws(HTTPParsingError) -> Outcome? {
    switch state {
    case .requestLine:
      // RFC 9112, section 2.2: an empty line before a request is ignored.
      guard !line.isEmpty else { return nil }
      request = try HTTPSyntax.request(fromLine: line)
      state = .headerFields
    case .headerFields:
      guard line.isEmpty else {
        try HTTPSyntax.addField(fromLine: line, to: &request.headers)
        return nil
      }
      state = .bodyStart
      return .head(request)
    case .chunkSize:
      let size = try HTTPSyntax.chunkSize(fromLine: line)
      guard size <= limits.bodyBytes - request.body.count else { throw .bodyTooLarge(limit: limits.bodyBytes) }
      state = size == 0 ? .trailerFields : .chunk(missing: size)
    case .chunkEnd:
      guard line.isEmpty else { throw .malformed("end of a chunk") }
      lineBytes = 0
      state = .chunkSize
    case .trailerFields:
      // Trailers are skipped: no example needs them.
      if line.isEmpty { return finishRequest() }
    case .bodyStart, .body, .chunk:
      break
    }
    return nil
  }

  private mutating func beginBody() throws(HTTPParsingError) -> Outcome? {
    switch try HTTPSyntax.bodyLength(of: request) {
    case .none, .known(0):
      return finishRequest()
    case .known(let count):
      guard count <= limits.bodyBytes else { throw .bodyTooLarge(limit: limits.bodyBytes) }
      state = .body(missing: count)
    case .chunked:
      lineBytes = 0
      state = .chunkSize
    }
    return request.expectsContinue && input.count == 0 ? .expectsContinue : nil
  }

  private mutating func finishRequest() -> Outcome {
    defer { request = HTTPRequest(method: "", target: "") }
    state = .requestLine
    lineBytes = 0
    return .request(request)
  }

  private mutating func takeBody(atMost count: Int) -> Int {
    let part = input.takeBytes(atMost: count)
    request.body.append(part)
    return part.count
  }

  /// Removes and returns a line without its end, or returns nil if the end hasn't arrived yet.
  private mutating func takeLine() throws(HTTPParsingError) -> Data? {
    let line = input.takeLine()
    lineBytes += line?.count ?? 0
    guard lineBytes + (line == nil ? input.count : 0) <= limits.headerBytes else {
      throw .headerTooLarge(limit: limits.headerBytes)
    }
    guard let line else { return nil }
    guard line.suffix(2) == Data("\r\n".utf8) else { throw .malformed("end of a line") }
    return line.dropLast(2)
  }
}
