import TestSupport
import Testing

@testable import OperationFlowProgressions

@Suite(.watched) struct StepNameTests {
  @Test func `an enum's step is named by its case, whatever it holds and however it describes itself`() {
    #expect(Parcel.packed("a").stepName == "packed")
    #expect(Parcel.sent("a", secret: "b").stepName == "sent")
    #expect(Described.plain.stepName == "plain" && Described.holding("secret").stepName == "holding")
    #expect(Described.nested(.nested(.plain)).stepName == "nested")
    #expect(Serial<Parcel>.completed([]).stepName == "completed")
  }

  @Test func `any other step is named by its type, unless it says something else`() {
    #expect(UpdatingCount(to: 1).stepName == "UpdatingCount")
    #expect(Named(part: 3).stepName == "part 3")
    #expect((Named(part: 4) as any Progression).stepName == "part 4")
    #expect(Machine().stepName == "Machine")
  }

  @Test func `a record shows a progression by its step's name, in whatever it is held`() async {
    struct Holder: Sendable { let parcel: Parcel, number = 5 }
    enum Wrapper: Sendable { case one(Parcel), two(Int, parcel: Parcel) }
    let parcel = Parcel.sent("hunter2", secret: "hunter2")
    let values: [String: any Sendable] = [
      "a": ["k": parcel], "b": [parcel][...], "c": [[parcel]], "d": Holder(parcel: parcel), "e": Wrapper.one(parcel),
      "f": Wrapper.two(1, parcel: parcel), "g": [parcel as Parcel?, nil], "h": ContiguousArray([parcel]),
      "i": ["k": Holder(parcel: parcel)], "j": Result<Parcel, TestError>.success(parcel), "k": (1, parcel),
    ]
    let outcome = await Flow().add("writes") { context in
      for (name, value) in values { context[FlowKey<[any Sendable]>(name)] = [value] }
    }.run(with: values)
    #expect(outcome.isSuccess && !outcome.report.summary.contains("hunter2"))
    #expect(outcome.report.summary.contains("d: Holder(parcel: sent, number: 5)\n"))
    #expect(outcome.report.summary.contains("g: [sent, nil]\n"))
  }
}

private indirect enum Described: Progression, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  case plain
  case holding(String)
  case nested(Described)

  var result: Int? { nil }
  var description: String { "secret" }
  var debugDescription: String { "secret" }
  var customMirror: Mirror { Mirror(self, children: ["secret": 1], displayStyle: .struct) }
}

private struct Named: Progression {
  var part: Int
  var result: Int? { part }
  var stepName: String { "part \(part)" }
}

private final class Machine: Progression {
  var result: Int? { 1 }
}
