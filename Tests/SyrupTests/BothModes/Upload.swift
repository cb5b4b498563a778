import Syrup

/// Sends a request to a server that answers from a queue.
enum Request: Progression {
  typealias Result = (status: Int, body: Data?)

  case get(url: URL)
  case post(url: URL, body: Data)

  case success(Result)

  mutating func updateOrDeferNext() -> Deferred<Request>? {
    switch self {
    case let .get(url):
      return Deferred.future { resolve in
        Server.shared.load(
          url, body: nil,
          completionHandler: { data, status, error in
            if let error = error {
              resolve { throw error }
            } else {
              resolve { .success((status: status, body: data)) }
            }
          })
      }
    case let .post(url, body):
      return Deferred.future { resolve in
        Server.shared.load(
          url, body: body,
          completionHandler: { (data, status, error) in
            if let error = error {
              resolve { throw error }
            } else {
              resolve { .success((status: status, body: data)) }
            }
          })
      }
    case .success:
      return nil
    }
  }

  var result: Result? {
    guard case let .success(result) = self else { return nil }
    return result
  }
}

/// Reads a file, posts its contents, and parses the answer: a progression of progressions.
enum Upload: Progression {
  typealias Result = Any?

  case openFile(file: ConfigRead<Config>, destinationURL: URL)
  case request(request: Request)
  case parseResponse(data: Data?)
  case success(Result)

  enum ErrorKind: Error {
    case uploadFailed(status: Int, body: Data?)
  }

  mutating func updateOrDeferNext() throws -> Deferred<Upload>? {
    switch self {
    case let .openFile(file, destinationURL):
      return compose(
        file,
        mapNext: { .openFile(file: $0, destinationURL: destinationURL) },
        mapResult: { result in
          .request(
            request: .post(
              url: destinationURL,
              body: try JSONSerialization.data(withJSONObject: ["count": result.count], options: [])
            )
          )
        }
      )
    case let .request(request):
      return compose(
        request,
        mapNext: { .request(request: $0) },
        mapResult: { result in
          let (status, body) = result
          switch status {
          case 200:
            return .parseResponse(data: body)
          default:
            throw ErrorKind.uploadFailed(status: status, body: body)
          }
        }
      )
    case let .parseResponse(data):
      self = .success(
        try data.map { try JSONSerialization.jsonObject(with: $0, options: []) }
      )
    default:
      break
    }
    return nil
  }

  var result: Result? {
    guard case let .success(result) = self else { return nil }
    return result
  }
}

/// The upload in Grain's spelling.
enum GrainUpload: StageProtocol {
  typealias Result = Any?

  case openFile(file: PlainConfigRead, destinationURL: URL)
  case request(Request)
  case parseResponse(data: Data?)
  case success(Result)

  func next() -> Deferred<GrainUpload> {
    switch self {
    case let .openFile(stage, destinationURL):
      return stage.compose(
        transformNext: {
          .openFile(file: $0, destinationURL: destinationURL)
        },
        transformResult: { result in
          .request(
            .post(
              url: destinationURL,
              body: try JSONSerialization.data(withJSONObject: ["count": result.count], options: [])
            )
          )
        }
      )
    case let .request(stage):
      return stage.compose(
        transformNext: { .request($0) },
        transformResult: { (_, body) in .parseResponse(data: body) }
      )
    case let .parseResponse(data):
      return Deferred {
        .success(
          try data.map { try JSONSerialization.jsonObject(with: $0, options: []) }
        )
      }
    case .success:
      completedStage(self)
    }
  }

  var result: Result? {
    guard case let .success(result) = self else { return nil }
    return result
  }
}

/// Answers requests from a queue, with callbacks as `URLSession` has them.
final class Server: Sendable {
  static let shared = Server()
  private let queue = DispatchQueue(label: "server")

  func load(_ url: URL, body: Data?, completionHandler: @escaping @Sendable (Data?, Int, Error?) -> Void) {
    queue.async {
      if url.lastPathComponent == "none" {
        completionHandler(nil, 0, URLError(.badURL))
      } else {
        completionHandler(body, url.lastPathComponent == "refused" ? 403 : 200, nil)
      }
    }
  }
}
