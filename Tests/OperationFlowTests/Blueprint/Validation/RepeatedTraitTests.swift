import OperationFlow
import TestSupport
import Testing

/// A step that gets a trait twice although it can have it only once.
@Suite(.watched) struct RepeatedTraitTests {
  private typealias Trait = StepTrait<FlowStep.Grouped<Int>>
  private static let results = FlowKey<[FlowItemResult<Int>]>("results")

  private func problems(_ first: Trait, _ second: Trait) -> [FlowProblem] {
    Flow("Twice").forEach(in: 0..<1, first, second) { number, _ in number }.validate()
  }

  @Test func `validation warns of it, and names it`() async throws {
    let all: [(Trait, Trait, String)] = [
      (.timeout(.seconds(1)), .timeout(.seconds(2)), ".timeout of each attempt"),
      (.timeout(.seconds(1), of: .allAttempts), .timeout(.seconds(2), of: .allAttempts), ".timeout of all attempts"),
      (
        .timeout(.seconds(1), abandoningAfter: .zero),
        .timeout(.seconds(2), of: .allAttempts, abandoningAfter: .seconds(1)), "abandoningAfter: of its time limits"
      ),
      (.retry(.attempts(2)), .retry(.attempts(3)), ".retry"),
      (.recover { _, _ in }, .recover { _, _ in }, ".recover"),
      (.undo { _ in }, .undo(operation: NoticedOp()), ".undo"),
      (.priority(.low), .priority(.high), ".priority"),
      (.results(in: Self.results), .results(in: Self.results), ".results(in:)"),
    ]
    for (first, second, name) in all {
      let found = problems(first, second)
      #expect(found.map(\.code) == [.repeatedTrait] && found.map(\.severity) == [.warning], "\(name): \(found)")
      #expect(found.first?.problem == "It has more than one \(name), of which only the last counts.")
      #expect(found.first?.remedy == "Leave out the others.")
    }
  }

  @Test func `what adds up, and what has different scopes, is no problem`() {
    let all: [(Trait, Trait)] = [
      (.timeout(.seconds(1)), .timeout(.seconds(2), of: .allAttempts)), (.named("a"), .named("b")),
      (.weight(1), .weight(2)), (.when { _ in true }, .when { _ in false }),
      (.limited(by: FlowLimiter(atMost: 1)), .limited(by: FlowLimiter(atMost: 2))),
      (.onEachResult { _, _, _ in }, .onEachResult { _, _, _ in }), (.writesNothing, .writesNothing),
    ]
    for (first, second) in all { #expect(problems(first, second).isEmpty) }
  }
}
