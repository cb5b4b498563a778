import Foundation
import OperationFlow

/// Sends requests to AWS Step Functions over `URLSession`, signed with Signature Version 4.
///
/// You can use it from any number of tasks at the same time. Source of the protocol: "AWS JSON 1.0" of the Smithy
/// specification.
public struct AWSTransport: StepFunctionsTransport {
  private let endpoint: URL
  private let host: String
  private let signer: RequestSigner
  private let credentials: @Sendable () async throws -> AWSCredentials
  private let now: @Sendable () -> Date
  private let connections = ServiceConnections()

  /// Creates a transport with the credentials of the environment or of the shared files.
  ///
  /// These are AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, or a profile in `~/.aws/credentials` and
  /// `~/.aws/config`: the one that AWS_PROFILE names, or `default`. AWS_SHARED_CREDENTIALS_FILE and AWS_CONFIG_FILE
  /// name other files. The transport reads them for each request, so renewed keys are used immediately.
  ///
  /// - Parameters:
  ///   - region: The region; if it is `nil`, AWS_REGION, AWS_DEFAULT_REGION or the profile's.
  ///   - endpoint: The URL of the service, such as one on this machine; if it is `nil`, the region's own.
  /// - Throws: ``StepFunctionsError`` if there is no region, no credentials, or if the endpoint is no HTTP URL.
  public init(region: String? = nil, endpoint: URL? = nil) throws {
    let configuration = AWSConfiguration()
    _ = try configuration.credentials()
    try self.init(region: region ?? configuration.region(), endpoint: endpoint) { try configuration.credentials() }
  }

  /// Creates a transport with credentials from elsewhere.
  ///
  /// - Parameters:
  ///   - region: The region, such as `eu-central-1`.
  ///   - endpoint: The URL of the service, such as one on this machine; if it is `nil`, the region's own.
  ///   - credentials: A closure that returns the credentials. It is called for each request, from several tasks at
  ///     once.
  /// - Throws: ``StepFunctionsError`` if the endpoint is no HTTP URL.
  public init(
    region: String, endpoint: URL? = nil, credentials: @escaping @Sendable () async throws -> AWSCredentials
  ) throws {
    try self.init(region: region, endpoint: endpoint, now: { Date() }, credentials: credentials)
  }

  package init(
    region: String, endpoint: URL?, now: @escaping @Sendable () -> Date,
    credentials: @escaping @Sendable () async throws -> AWSCredentials
  ) throws {
    if region.isEmpty { throw StepFunctionsError.missingRegion(looked: "the region that AWSTransport was given") }
    let domain = region.hasPrefix("cn-") ? "amazonaws.com.cn" : "amazonaws.com"
    let address = endpoint?.absoluteString ?? "https://states.\(region).\(domain)"
    guard let url = URL(string: address), let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme),
      let name = url.host, !name.isEmpty, url.query == nil
    else { throw StepFunctionsError.invalidEndpoint(address) }
    self.endpoint = url
    // A client omits the default port from the Host header, so the signed header omits it, too.
    let usual = scheme == "https" ? 443 : 80
    let bracketed = name.contains(":") && !name.hasPrefix("[") ? "[\(name)]" : name
    host = url.port.flatMap { $0 == usual ? nil : "\(bracketed):\($0)" } ?? bracketed
    signer = RequestSigner(region: region)
    self.now = now
    self.credentials = credentials
  }

  /// Sends a request and returns the body of the answer.
  ///
  /// Cancelling its task cancels the request.
  ///
  /// - Parameter request: The request.
  /// - Returns: The body of the answer, which is JSON.
  /// - Throws: ``StepFunctionsError`` if the service refuses it or can't be reached; `CancellationError` if the task is
  ///   cancelled; any error that the closure for the credentials throws.
  public func send(_ request: StepFunctionsRequest) async throws -> Data {
    let date = now()
    let signed = try await urlRequest(for: request, date: date)
    let (body, response): (Data, HTTPURLResponse)
    do {
      (body, response) = try await connections.answer(to: signed)
    } catch {
      if Task.isCancelled || error is CancellationError { throw CancellationError() }
      throw StepFunctionsError.connectionFailed(error.localizedDescription, host: host, action: request.action)
    }
    guard response.statusCode != 200 else { return body }
    throw ServiceRefusal(body: body, response: response).error(action: request.action, signedAt: date)
  }

  /// Makes the request for a date, signed.
  func urlRequest(for request: StepFunctionsRequest, date: Date) async throws -> URLRequest {
    var headers = [
      "Content-Type": "application/x-amz-json-1.0", "Host": host,
      "X-Amz-Target": "AWSStepFunctions.\(request.action)",
    ]
    let path = URLComponents(url: endpoint, resolvingAgainstBaseURL: false)?.percentEncodedPath ?? ""
    headers.merge(
      signer.signature(of: headers, path: path, body: request.body, date: date, credentials: try await credentials())
    ) { $1 }
    // URLSession sets this header itself, from the URL.
    headers["Host"] = nil
    var signed = URLRequest(url: endpoint)
    // On Linux, a timeout that is passed to the initializer has no effect.
    signed.timeoutInterval = Double(request.timeout.clamped(to: .seconds(1) ... .longest).components.seconds)
    signed.httpMethod = "POST"
    signed.httpBody = request.body
    for (name, value) in headers { signed.setValue(value, forHTTPHeaderField: name) }
    return signed
  }
}
