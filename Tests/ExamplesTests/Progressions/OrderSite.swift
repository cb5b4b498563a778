import Foundation
import OperationFlow

@testable import UploadServer

/// A folder with an order, and a server on this machine that accepts orders.
struct OrderSite: Sendable {
  let folder: URL
  let server: URL

  var order: URL { folder.appendingPathComponent("order.json", isDirectory: false) }

  /// Writes the order, starts a server, does some work with them, and removes both.
  ///
  /// - Parameters:
  ///   - refusals: The number of orders that the server refuses before it accepts one.
  ///   - work: The work to do meanwhile.
  /// - Throws: The error that the work throws, or the reason that there is no folder or server.
  static func open(refusals: Int = 0, _ work: (OrderSite) async throws -> Void) async throws {
    let folder = try SampleFolder(fileCount: 0)
    defer { try? folder.remove() }
    let counter = RefusalCounter(refusals)
    let receiver = HTTPReceiver(storingIn: folder.url) { request in
      guard request.method == "POST" else { return nil }
      guard !counter.refuses() else { return .text("Not now.", status: 503) }
      guard let order = try? JSONDecoder().decode(Order.self, from: request.body) else {
        return .text("This is no order.", status: 400)
      }
      return .text("took \(order.name), \(order.text.count) characters", status: 201)
    }
    Proxy.bypassOnLoopback()
    try receiver.start()
    defer { receiver.stop() }
    let site = OrderSite(folder: folder.url, server: try receiver.url)
    try Data(#"{"name": "greeting", "text": "hello world"}"#.utf8).write(to: site.order)
    try await work(site)
  }
}

/// The number of requests that are still refused.
///
/// The server uses it from any thread.
private final class RefusalCounter: @unchecked Sendable {
  // Invariant: `left` is used under the lock.
  private let lock = NSLock()
  private var left: Int

  init(_ count: Int) { left = count }

  func refuses() -> Bool {
    lock.withLock {
      left -= 1
      return left >= 0
    }
  }
}
