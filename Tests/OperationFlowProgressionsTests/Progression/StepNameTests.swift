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
