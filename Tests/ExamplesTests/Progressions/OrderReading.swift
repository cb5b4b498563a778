import Foundation
import OperationFlow
import OperationFlowProgressions

/// The order in a JSON file: a text to be stored under a name.
struct Order: Codable, Hashable, Sendable {
  let name: String
  let text: String
}

/// Reads an order from a file, in steps that change the value in place.
enum OrderReading: Progression, Codable, Hashable, Sendable {
  case open(URL)
  case parse(Data)
  case check(Order)
  case done(Order)

  mutating func updateOrDeferNext() throws -> Deferred<OrderReading>? {
    switch self {
    case .open(let file):
      guard let data = try? Data(contentsOf: file) else { throw OrderError.unreadable(path: file.path) }
      self = .parse(data)
    case .parse(let data):
      guard let order = try? JSONDecoder().decode(Order.self, from: data) else { throw OrderError.notAnOrder }
      self = .check(order)
    case .check(let order):
      guard !order.name.isEmpty else { throw OrderError.nameless }
      self = .done(order)
    case .done: break
    }
    return nil
  }

  var result: Order? { if case .done(let order) = self { order } else { nil } }
}

/// An error of a file that doesn't contain an order.
enum OrderError: Error, Hashable, CustomStringConvertible {
  case unreadable(path: String)
  case notAnOrder
  case nameless

  var description: String {
    switch self {
    case .unreadable(let path): "\(path) cannot be read. Check that it is still there, and that you may read it."
    case .notAnOrder: "The file is no order. Write JSON with a name and a text."
    case .nameless: "The order's name is empty. Give it one."
    }
  }
}
