import OperationFlow

extension FlowKey where Value == Int {
  static var room: Self { "room" }
}

/// The trip costs more than there is.
struct NotEnoughMoney: Error {}

extension Example {
  /// What was booked is undone if the payment fails, and a step runs at the end whatever happened.
  private static let trip = Flow("Trip")
    .add("book a seat", .undo { $0.log("gave the seat back") }) { _ in }
    .add(
      "book a room", .writes(.room),
      .undo(retry: .attempts(3)) { context in
        // The hotel answers only the second time.
        if context.attempt == 1 { throw NotEnoughMoney() }
        context.log("cancelled room \(try context.require(.room))")
      }
    ) { context in
      context[.room] = 12
    }
    .forEach(
      in: ["museum", "boat"], width: 1, .named("tickets"),
      .undo { $0.log("returned the \(try $0.item(as: String.self))") }
    ) {
      ticket, context in context.log("bought the \(ticket)")
    }
    .add("pay", .retry(.attempts(2))) { _ in throw NotEnoughMoney() }
    .always { $0.add("write home") { $0.log($0.ending?.isSuccess == true ? "it was nice" : "we are at home again") } }

  static let undoNewStyle = Example(name: "undo and always, new style") { output in
    let outcome = await trip.run()
    output.show(outcome)
    let lines = [
      "bought the museum", "bought the boat", "returned the boat", "returned the museum", "cancelled room 12",
      "gave the seat back", "we are at home again",
    ]
    try expect(
      outcome.error is NotEnoughMoney && outcome.report.loggedLines == lines, "all is undone, in reverse order")
    try expect(outcome.report.undos.map(\.attempts) == [1, 1, 2, 1], "the room took two attempts")
  }
}
