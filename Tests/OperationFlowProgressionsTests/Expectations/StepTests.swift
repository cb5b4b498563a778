import Dispatch
import OperationFlow
import OperationFlowProgressions
import TestSupport
import Testing

private struct Refused: Error, Equatable { let reason: String }

/// A progression that changes itself, and can be compared.
private enum Reading: Progression, Equatable {
  case open(String)
  case parse([UInt8])
  case done(Int)

  mutating func updateOrDeferNext() throws -> Deferred<Reading>? {
    switch self {
    case .open(let name):
      guard !name.isEmpty else { throw Refused(reason: "no name") }
      self = .parse(Array(name.utf8))
    case .parse(let bytes): return Deferred { .done(bytes.count) }
    case .done: break
    }
    return nil
  }

  var result: Int? { if case .done(let count) = self { count } else { nil } }
}

/// A progression that returns futures, contains closures, and can't be compared.
private enum Asking: Progression {
  case ask(question: () throws -> String)
  case answered(String)

  func next() -> Deferred<Asking> {
    guard case .ask(let question) = self else { return .unit { self } }
    let answer = Swift.Result { try question() }
    return .future { resolve in DispatchQueue.global().async { resolve { .answered(try answer.get()) } } }
  }

  var result: String? { if case .answered(let text) = self { text } else { nil } }
}

/// A progression that is an asynchronous function.
private enum CountedSteps: Progression, Equatable {
  case at(Int)

  mutating func advance() async throws {
    guard case .at(let number) = self else { return }
    if number == 2 { throw Refused(reason: "two") }
    await Task.yield()
    self = .at(number + 1)
  }

  var result: Int? { if case .at(let number) = self, number >= 5 { number } else { nil } }
}

/// Doesn't implement any way to continue.
///
/// It stores a value because the compiler passes no valid address for an `inout` value without storage, and the thread
/// sanitizer reads that address.
private struct Unwritten: Progression {
  let storage = 0
  var result: Int? { nil }
}

@Suite(.watched) struct StepTests {
  @Test func `one step is taken from any case, in each way of writing them`() async throws {
    #expect(try await Reading.open("abc").takingStep() == .parse([97, 98, 99]))
    #expect(try await Reading.parse([1, 2]).takingStep() == .done(2))
    #expect(try await Asking.ask { "yes" }.takingStep().result == "yes")
    #expect(try await CountedSteps.at(3).takingStep() == .at(4))
  }

  @Test func `it stops after one step, and leaves the value as it is`() async throws {
    let start = CountedSteps.at(0)
    #expect(try await start.takingStep() == .at(1))
    #expect(start == .at(0))
  }

  @Test func `an expectation that is met gives what is there`() async throws {
    #expect(try await Reading.open("a").expectStep(to: .parse([97])) == .parse([97]))
    #expect(try await Asking.ask { "yes" }.expectStep(named: "answered").result == "yes")
    let count = try await Reading.open("ab").expectStep { if case .parse(let bytes) = $0 { bytes.count } else { nil } }
    #expect(count == 2)
  }

  @Test func `an expectation that isn't met says from where, to where, and what was expected`() async {
    let wrong = await #expect(throws: StepMismatch.self) { try await Reading.open("a").expectStep(to: .done(1)) }
    #expect(wrong?.step == "open")
    let text = wrong?.description ?? ""
    #expect(text.hasPrefix("Reading, from ") && text.contains(#"open("a")"#) && text.contains("parse([97])"))
    #expect(text.contains(", and not to ") && text.contains("done(1)") && wrong?.localizedDescription == text)
    let other = await #expect(throws: StepMismatch.self) { try await Asking.ask { "yes" }.expectStep(named: "ask") }
    #expect(other?.description.contains("and not to a step named ask") == true)
    await #expect(throws: StepMismatch.self) {
      try await CountedSteps.at(0).expectStep { if case .at(7) = $0 { true } else { nil } }
    }
  }

  @Test func `what a step throws comes out as it is`() async throws {
    await #expect(throws: Refused(reason: "no name")) { try await Reading.open("").takingStep() }
    await #expect(throws: Refused(reason: "asked")) {
      try await Asking.ask { throw Refused(reason: "asked") }.expectStep(named: "answered")
    }
    #expect(try await CountedSteps.at(2).expectFailure(Refused.self) == Refused(reason: "two"))
    let error: FlowError = try await Unwritten().expectFailure()
    #expect(error.code == .notImplemented)
  }

  @Test func `a failure that is expected and does not come, or is another one, says so`() async {
    let missing = await #expect(throws: StepMismatch.self) { try await CountedSteps.at(1).expectFailure(Refused.self) }
    #expect(missing?.description.contains("doesn't fail with a Refused") == true)
    let other = await #expect(throws: StepMismatch.self) { try await CountedSteps.at(2).expectFailure(FlowError.self) }
    #expect(other?.description.contains("it fails with Refused(") == true)
  }

  @Test func `a step that has its result has none to take`() async {
    let mismatch = await #expect(throws: StepMismatch.self) { try await Reading.done(1).takingStep() }
    #expect(mismatch?.description.contains("it is the last step") == true)
    await #expect(throws: StepMismatch.self) { try await Reading.done(1).expectFailure(Refused.self) }
  }

  @Test func `a long value is cut in the message`() async {
    let long = Reading.open(String(repeating: "a", count: 100_000))
    let mismatch = await #expect(throws: StepMismatch.self) { try await long.expectStep(to: .done(0)) }
    #expect((mismatch?.description.count ?? 0) < 2_000)
  }
}
