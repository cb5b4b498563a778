import OperationFlow

extension FlowKey where Value == Int {
  fileprivate static var room: Self { "room" }
}

private struct NotEnoughMoney: Error, CustomStringConvertible {
  var description: String { "there isn't enough money" }
}

private struct HotelIsBusy: Error {}

/// Books a trip whose payment fails, so that everything that was booked is cancelled, the last first.
func undo() async throws {
  let trip = Flow("Trip")
    .add("book a seat", .undo { $0.log("gave the seat back") }) { _ in }
    .add(
      "book a room", .writes(.room),
      // The hotel answers only the second time.
      .undo(retry: .attempts(2)) { context in
        if context.attempt == 1 { throw HotelIsBusy() }
        context.log("cancelled room \(try context.require(.room))")
      }
    ) { context in
      context[.room] = 12
    }
    .forEach(
      in: ["museum", "boat"], width: 1, .named("tickets"),
      .undo { $0.log("returned the ticket for the \(try $0.item(as: String.self))") }
    ) { ticket, context in
      context.log("bought a ticket for the \(ticket)")
    }
    .add("pay", .retry(.attempts(2))) { _ in throw NotEnoughMoney() }
    // This runs at the end, whatever happened, and can read how the run ended.
    .always { $0.add("write home") { $0.log($0.ending?.isSuccess == true ? "it was nice" : "we are home again") } }

  let outcome = await trip.run()
  // An undo that fails doesn't prevent the others from running, and is in the report with its error.
  let undone = outcome.report.undos.filter { $0.error == nil }
  print("\(outcome.report.failure.map { "\($0)" } ?? "It succeeded"); \(undone.count) undone")
  let lines = outcome.report.events.compactMap { event in
    if case .logged(let line, _) = event.kind { line } else { nil }
  }
  print("log: \(lines.joined(separator: "; "))")
  if Options.isVerbose { print(outcome.report.summary, terminator: "") }
}
