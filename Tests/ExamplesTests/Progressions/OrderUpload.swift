import Foundation
import OperationFlow
import OperationFlowProgressions

/// Reads an order and posts it to a server, with the steps of two other progressions.
enum OrderUpload: Progression, Codable, Hashable, Sendable {
  case reading(OrderReading, server: URL)
  case posting(HTTPExchange)
  case done(String)

  func next() -> Deferred<OrderUpload> {
    switch self {
    case .reading(let reading, let server):
      compose(
        reading, mapNext: { .reading($0, server: server) },
        mapResult: { order in .posting(.post(server, body: try JSONEncoder().encode(order))) })
    case .posting(let exchange): compose(exchange, mapNext: { .posting($0) }, mapResult: { .done($0) })
    case .done: Deferred { self }
    }
  }

  var result: String? { if case .done(let answer) = self { answer } else { nil } }

  /// Contains both names, because a record should show what the inner progression does.
  var stepName: String {
    switch self {
    case .reading(let reading, _): "reading: \(reading.stepName)"
    case .posting(let exchange): "posting: \(exchange.stepName)"
    case .done: "done"
    }
  }
}
