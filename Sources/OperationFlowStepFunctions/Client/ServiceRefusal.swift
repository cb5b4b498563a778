import Foundation

/// An answer with which the service refuses a request.
struct ServiceRefusal {
  private struct Body: Decodable {
    let type: String?
    let code: String?
    let message: String?
    let capitalizedMessage: String?

    enum CodingKeys: String, CodingKey {
      case type = "__type"
      case code, message
      case capitalizedMessage = "Message"
    }
  }

  /// The number of seconds by which two clocks may differ before a signature is refused.
  private static let toleratedSkew: TimeInterval = 300

  private let code: String
  private let message: String
  private let status: Int
  private let date: Date?

  init(body: Data, response: HTTPURLResponse) {
    self.init(
      body: body, status: response.statusCode, typeHeader: response.value(forHTTPHeaderField: "x-amzn-ErrorType"),
      dateHeader: response.value(forHTTPHeaderField: "Date"))
  }

  init(body: Data, status: Int, typeHeader: String?, dateHeader: String?) {
    let content = try? JSONDecoder().decode(Body.self, from: body)
    // The type may have a prefix of a namespace and `#`, and a suffix of a colon and a URL.
    let type = content?.type ?? typeHeader ?? content?.code ?? Self.element("Code", of: body) ?? ""
    let name = type.split(separator: "#").last.map { $0.prefix { $0 != ":" } } ?? ""
    code = name.isEmpty ? "HTTP \(status)" : String(name)
    message =
      content?.message ?? content?.capitalizedMessage ?? Self.element("Message", of: body)
      ?? "the service answered with the status \(status)"
    self.status = status
    date = dateHeader.flatMap(Self.date)
  }

  /// Returns the error; if a signature was refused because the clocks differ, the error contains the difference.
  func error(action: String, signedAt signed: Date) -> StepFunctionsError {
    let error = StepFunctionsError(.init(code), action: action, message: message, status: status)
    guard error.isAboutSignature, let date, abs(signed.timeIntervalSince(date)) > Self.toleratedSkew else {
      return error
    }
    return .clockSkew(by: signed.timeIntervalSince(date), code: code, action: action, status: status)
  }

  /// Returns the text of an element of an XML answer, which some gateways send.
  private static func element(_ name: String, of body: Data) -> String? {
    let text = String(decoding: body, as: UTF8.self)
    guard let start = text.range(of: "<\(name)>"),
      let end = text.range(of: "</\(name)>", range: start.upperBound..<text.endIndex)
    else { return nil }
    return String(text[start.upperBound..<end.lowerBound])
  }

  /// Parses a date of HTTP, such as `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110).
  private static func date(_ text: String) -> Date? {
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    let parts = text.split { $0 == " " || $0 == "," || $0 == ":" }.map(String.init)
    guard parts.count == 8, let month = months.firstIndex(of: parts[2]), let day = Int(parts[1]),
      let year = Int(parts[3]),
      let hour = Int(parts[4]), let minute = Int(parts[5]), let second = Int(parts[6])
    else { return nil }
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    return calendar.date(
      from: DateComponents(year: year, month: month + 1, day: day, hour: hour, minute: minute, second: second))
  }
}
