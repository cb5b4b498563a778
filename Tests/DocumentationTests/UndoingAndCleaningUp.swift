import Foundation
import OperationFlow
import TestSupport
import Testing

extension FlowKey where Value == Int {
  static var booking: Self { "booking" }
}
extension FlowKey where Value == [String] {
  static var letters: Self { "letters" }
}
extension FlowKey where Value == [URL] {
  static var copies: Self { "copies" }
}
extension FlowKey where Value == URL {
  static var workspace: Self { "workspace" }
}

struct NoMoney: Error {}

final class BookRoomOp: FlowOperation, @unchecked Sendable {
  override func run() async throws { setData(name: "room", value: 12) }
}

final class CancelRoomOp: FlowOperation, @unchecked Sendable {
  override func run() async throws {
    let room: Int? = getData(name: "room")
    log(message: "cancelled room \(room ?? 0)")
  }
}

func bookSeat() async throws -> Int { 7 }
func releaseSeat(_ seat: Int) async throws {}
func payTrip() async throws { throw NoMoney() }
func copy(_ letter: String) async throws -> URL { URL(fileURLWithPath: "/" + letter) }
func deleteCopy(_ copy: URL) async throws {}
func lendFolder() async throws -> URL { URL(fileURLWithPath: "/tmp") }
func renderPages(into folder: URL) async throws {}
func giveBackFolder(_ folder: URL) async throws {}

enum UndoingAndCleaningUp {
  static func trip() -> Flow {
    let flow = Flow("Trip")
      .add("flight", .writes(.booking), .undo { try await releaseSeat($0.require(.booking)) }) { context in
        context[.booking] = try await bookSeat()
      }
      .add(BookRoomOp(), .retry(.attempts(3)), .undo(retry: .attempts(5), operation: CancelRoomOp()))
      .add("pay") { _ in try await payTrip() }
    return flow
  }

  static func publish(print: Printer) async -> FlowOutcome {
    let flow = Flow("Publish")
      .set(.letters, to: ["Dear Ann", "Dear Bob"])
      .forEach(
        .letters, into: .copies, width: 4,
        .undo { context in try await deleteCopy(context.output(as: URL.self)) }
      ) { letter, _ in
        try await copy(letter)
      }
      .add("announce") { _ in throw NoMoney() }
    let outcome = await flow.run()
    for undo in outcome.report.undos where undo.error != nil { print("still there:", undo.name) }
    return outcome
  }

  static func rendering() -> Flow {
    let flow = Flow("Render")
      .add("lend", .writes(.workspace)) { context in context[.workspace] = try await lendFolder() }
      .add("render") { context in try await renderPages(into: context.require(.workspace)) }
      .always {
        $0.add("give back", .when { $0.contains(.workspace) }) { context in
          try await giveBackFolder(context.require(.workspace))
          if let error = context.ending?.error { context.log("after \(error)", level: .warning) }
        }
      }
    return flow
  }
}

@Suite(.watched) struct UndoingAndCleaningUpTests {
  @Test func `a trip that can't be paid is undone, and the record reads as the article shows`() async throws {
    let outcome = await UndoingAndCleaningUp.trip().run()
    #expect(outcome.error is NoMoney && outcome.report.undos.count == 2)
    let text = try SourceTree.text(of: "Sources/OperationFlow/OperationFlow.docc/UndoingAndCleaningUp.md")
    let summary = outcome.report.summary(style: .withoutTimes).split(separator: "\n").map(String.init)
    let shown = summary.filter { $0.contains("Undo") || $0.contains("[pay] Did") || $0.hasPrefix("Flow isSuccess") }
    #expect(shown.count == 6 && text.contains(shown.joined(separator: "\n")), "\(shown)")
  }

  @Test func `items are undone with their outputs`() async {
    let print = Printer()
    let outcome = await UndoingAndCleaningUp.publish(print: print)
    #expect(
      outcome.error is NoMoney && outcome.report.undos.compactMap(\.item).sorted() == [0, 1] && print.texts.isEmpty)
  }

  @Test func `a folder is given back`() async {
    let outcome = await UndoingAndCleaningUp.rendering().run()
    #expect(outcome.isSuccess && outcome.report.steps.last?.end == .succeeded)
  }
}
