import Dispatch
import TestSupport
import Testing

@testable import OperationFlowProgressions

@Suite(.watched) struct ComposingTests {
  /// Runs the steps of another progression as its own, and then one more.
  private enum Outer<Inner: Counting>: Progression {
    case inner(Inner)
    case last(Int)
    case done(String)

    mutating func updateOrDeferNext() throws -> Deferred<Outer>? {
      switch self {
      case .inner(let inner) where inner.goal % 2 == 0:
        return compose(inner, mapNext: { .inner($0) }, mapResult: { .last($0) })
      case .inner(let inner):
        return compose(inner, mapNext: Outer.inner, flatMapResult: { result in Deferred { result }.map { .last($0) } })
      case .last(let number):
        guard number < 100 else { throw TestError() }
        self = .done("\(number)")
      case .done: break
      }
      return nil
    }

    var result: String? { if case .done(let text) = self { text } else { nil } }
  }

  @Test(arguments: 0..<countings.count)
  func `a progression takes another one's steps, however these are written`(way: Int) async throws {
    func compose<Inner: Counting>(_ type: Inner.Type) async throws {
      for goal in [4, 5] {
        let outer = Outer.inner(type.init(to: goal))
        #expect(try await outer.run() == "\(goal)")
        let steps = Tally()
        let deferred = outer.deferred(queue: .global()) { _ in
          steps.add()
          return true
        }
        #expect(try await deferred.value == "\(goal)")
        #expect(steps.count == goal + 3)
      }
    }
    try await compose(countings[way])
  }

  @Test func `an error of the result's closure is the step's`() async throws {
    await #expect(throws: TestError()) { try await Outer.inner(UpdatingCount(to: 200)).run() }
    let outer = Outer<UpdatingCount>.done("")
    let failing = outer.compose(
      UpdatingCount(to: 0), mapNext: { .inner($0) }, flatMapResult: { _ in throw TestError() })
    await #expect(throws: TestError()) { try await failing.value }
    let mapped = outer.compose(UpdatingCount(to: 0), mapNext: { .inner($0) }, mapResult: { _ in throw TestError() })
    await #expect(throws: TestError()) { try await mapped.value }
  }
}
