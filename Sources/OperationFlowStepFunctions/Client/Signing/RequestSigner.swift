import Foundation

/// Signs requests with Signature Version 4.
///
/// Source: "AWS Signature Version 4 for API requests" in the AWS Identity and Access Management User Guide.
package struct RequestSigner: Sendable {
  package let region: String
  package let service: String

  package init(region: String, service: String = "states") {
    self.region = region
    self.service = service
  }

  /// Returns the headers that sign a `POST` without a query: the date, the session token if there is one, and the
  /// authorization.
  ///
  /// - Parameters:
  ///   - headers: The headers to be signed, with `host` among them.
  ///   - path: The path of the URL, encoded as it is sent.
  ///   - body: The body.
  ///   - date: The time of sending. A service refuses dates that are more than a few minutes away from its own.
  ///   - credentials: The sender's credentials.
  /// - Returns: The headers to be added.
  package func signature(
    of headers: [String: String], path: String, body: Data, date: Date, credentials: AWSCredentials
  ) -> [String: String] {
    let moment = Self.text(of: date)
    let day = String(moment.prefix(8))
    var added = ["X-Amz-Date": moment]
    if let token = credentials.sessionToken { added["X-Amz-Security-Token"] = token }

    let signed = headers.merging(added) { $1 }
      .map { (name: $0.lowercased(), value: Self.canonical($1)) }
      .sorted { $0.name < $1.name }
    let names = signed.map(\.name).joined(separator: ";")
    let request =
      "POST\n\(path.isEmpty ? "/" : path)\n\n" + signed.map { "\($0.name):\($0.value)\n" }.joined()
      + "\n\(names)\n\(MessageDigest.sha256(body))"
    let scope = "\(day)/\(region)/\(service)/aws4_request"
    let text = "AWS4-HMAC-SHA256\n\(moment)\n\(scope)\n\(MessageDigest.sha256(Data(request.utf8)))"
    let code = MessageDigest.hmac(Data(text.utf8), key: key(day: day, secret: credentials.secretAccessKey))

    added["Authorization"] =
      "AWS4-HMAC-SHA256 Credential=\(credentials.accessKeyID)/\(scope), SignedHeaders=\(names), "
      + "Signature=\(MessageDigest.hexadecimal(code))"
    return added
  }

  /// The key that signs the requests of a day.
  package func key(day: String, secret: String) -> Data {
    [day, region, service, "aws4_request"].reduce(Data("AWS4\(secret)".utf8)) { key, part in
      MessageDigest.hmac(Data(part.utf8), key: key)
    }
  }

  /// A header's value as it is signed: without spaces around it, and a single one for several.
  private static func canonical(_ value: String) -> String {
    value.split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ")
  }

  /// The date in UTC in the basic format of ISO 8601, such as `20150830T123600Z`.
  package static func text(of date: Date) -> String {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: date)
    func digits(_ number: Int?, _ count: Int) -> String {
      let text = String(number ?? 0)
      return String(repeating: "0", count: max(0, count - text.count)) + text
    }
    let day = digits(parts.year, 4) + digits(parts.month, 2) + digits(parts.day, 2)
    return day + "T" + digits(parts.hour, 2) + digits(parts.minute, 2) + digits(parts.second, 2) + "Z"
  }
}
