import Foundation
import OperationFlow
import OperationFlowProgressions
import Uploader

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Exchanges data with a server, in steps that end in a callback.
enum HTTPExchange: Progression, Codable, Hashable, Sendable {
  case get(URL)
  case post(URL, body: Data)
  case answered(Data)
  case done(String)

  func next() -> Deferred<HTTPExchange> {
    switch self {
    case .get(let link): return Self.answer(to: URLRequest(url: link), link)
    case .post(let link, let body):
      var request = URLRequest(url: link)
      request.httpMethod = "POST"
      request.httpBody = body
      return Self.answer(to: request, link)
    case .answered(let body): return Deferred { .done(String(decoding: body, as: UTF8.self)) }
    case .done: return Deferred { self }
    }
  }

  var result: String? { if case .done(let text) = self { text } else { nil } }

  /// Throws in the step of the request if the server refuses it: a run that continues from this step repeats the
  /// request.
  private static func answer(to request: URLRequest, _ link: URL) -> Deferred<HTTPExchange> {
    .future { resolve in
      URLSession.uploads.dataTask(with: request) { data, response, error in
        let failure = UploadError(link: link, response: response, error: error)
        resolve {
          if let failure { throw failure }
          return .answered(data ?? Data())
        }
      }
      .resume()
    }
  }
}
