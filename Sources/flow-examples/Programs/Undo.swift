import Foundation
import OperationFlow
import OperationFlowDurable

extension FlowKey where Value == Int {
  fileprivate static var seat: Self { "seat" }
}

private struct CardRefused: Error {}

/// Stands for the services, which recognize a repeated request by its key.
private struct Services: Sendable {
  func bookSeat(key: String) async throws -> Int { 12 }
  func cancelSeat(_ seat: Int) async throws { print("seat \(seat) cancelled") }
  func buyTicket(_ place: String, key: String) async throws {}
  func returnTicket(_ place: String, key: String) async throws { print("ticket returned: \(place)") }
  func pay(key: String) async throws { throw CardRefused() }
  func refund(key: String) async throws { print("refunded, if it was paid") }
}

enum Undo {
  static func main() async throws {
    let services = Services()
    let trip = Flow("Trip")
      .add("seat", .writes(.seat), .undo { try await services.cancelSeat($0.require(.seat)) }) { context in
        context[.seat] = try await services.bookSeat(key: context.idempotencyKey)
      }
      .forEach(
        in: ["museum", "boat"], width: 1, .named("tickets"),
        .undo(retry: .attempts(5)) { context in
          try await services.returnTicket(context.item(as: String.self), key: context.stepIdempotencyKey)
        }
      ) { try await services.buyTicket($0, key: $1.idempotencyKey) }
      .add(
        "pay", .retry(.attempts(2)),
        .undo(alsoIfUncertain: true) { try await services.refund(key: $0.stepIdempotencyKey) }
      ) { try await services.pay(key: $0.idempotencyKey) }
      .always { $0.add("write home") { print($0.ending?.isSuccess == true ? "it was nice" : "we are home again") } }

    let folder = FileManager.default.temporaryDirectory.appending(component: "trips-\(UUID())")
    let outcome = await trip.run(id: "trip-7", in: FileFlowStore(folder: folder))
    if let error = outcome.error { print("not booked: \(error)") }
    for undo in outcome.report.undos where undo.error != nil { print("by hand: \(undo.name)") }
  }
}
