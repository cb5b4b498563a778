import Foundation
import TestSupport
import Testing

@testable import OperationFlow
@testable import OperationFlowDurable

/// Random flows that are cut after a random entry, and resumed by a flow with another tail.
@Suite(.long) struct RandomChangeTests {
  private enum Finding {
    case skipped, accepted, refused
    case wrong(String)
  }

  @Test func `a changed flow goes on as if the run had been its own, or is refused for a change before the point`()
    async
  {
    let (all, accepted, refused) = (Tally(), Tally(), Tally())
    let areRight = await forEachSeed(count: 100) { seed in
      all.add()
      switch await Self.run(seed) {
      case .skipped: break
      case .accepted: accepted.add()
      case .refused: refused.add()
      case .wrong(let text): return text
      }
      return nil
    }
    if areRight, TestSettings.effort >= 5 {
      #expect(accepted.count > all.count / 20 && refused.count > all.count / 20)
    }
  }

  private static func run(_ seed: UInt64) async -> Finding {
    let script = RandomFlow(seed: seed)
    var generator = SplitMix(seed: seed &+ 1)
    let changed = changed(script, &generator)
    let (old, new) = (shape(script.build()), shape(changed.build()))
    let store = MemoryFlowStore()
    let first = await script.build().run(id: "r", in: store, durability: .operatingSystem)
    let expected = await changed.build().run()
    let interpreted = Interpreter(changed)
    guard first.failure?.isRefusal != true, expected.failure?.isRefusal != true, Interpreter(script).isDecided,
      interpreted.isDecided, first.report.cancellation == nil, expected.report.cancellation == nil,
      let entries = store.journals["r"]?.withoutBegins, entries.count > 2
    else { return .skipped }
    if let complaint = Comparison(expected, with: interpreted).complaint { return .wrong("at once: " + complaint) }
    var cut = Array(entries.prefix(1 + Int(generator.next() % UInt64(entries.count - 1))))
    do {
      if generator.next() % 3 == 0 { cut = try JournalCompaction.folded(cut, as: script.build()) }
      let reached = try ResumePosition(Array(cut.dropFirst()), in: old)
      let copy = MemoryFlowStore(["r": cut])
      let outcome = await changed.build().run(
        id: "r", in: copy, durability: .operatingSystem, acceptsChanges: true)
      let place = "after \(cut.count) of \(entries.count): "
      let isRefused = (outcome.error as? FlowError)?.code == .changedFlow
      let differs = Self.differs(old, new, upTo: reached)
      // Steps of the same shape, such as closures, may do different things. Then nothing has to be equal from there,
      // and a group with another number of items is refused.
      let same = zip(script.steps, changed.steps).prefix { "\($0)" == "\($1)" }.count
      let begun = old.indices.count { old[$0].block == .root && !old[$0].isAtEnd && reached.steps.contains($0) }
      if !differs, begun > same, !isRefused || "\(outcome)".contains(" items, and had ") { return .skipped }
      if isRefused != differs {
        return .wrong(place + (isRefused ? "refused: \(outcome)" : "accepted") + "\n\(script.steps)\n\(changed.steps)")
      }
      if isRefused { return copy.journals["r"] == cut ? .refused : .wrong(place + "the journal has changed") }
      let (was, isNow) = (DurableCheck.text(of: expected, false), DurableCheck.text(of: outcome, false))
      if outcome.isLeftForType, expected.hasMistypedRead { return .skipped }
      if was != isNow { return .wrong(place + "\(isNow), and not \(was)\n\(script.steps)\n\(changed.steps)") }
      return old == new ? .skipped : .accepted
    } catch {
      return .wrong("\(error)")
    }
  }

  /// Returns the flow with another tail.
  private static func changed(_ script: RandomFlow, _ generator: inout SplitMix) -> RandomFlow {
    var changed = script
    let kept = Int(generator.next() % UInt64(script.steps.count + 1))
    var tail = Array(script.steps.dropFirst(kept))
    switch generator.next() % 3 {
    case 0: tail = []
    case 1: tail.reverse()
    default: break
    }
    let other = RandomFlow(seed: generator.next())
    for step in other.steps.prefix(Int(generator.next() % 3)) {
      if case .operation(var operation, let isObject) = step {
        operation.name = "new " + operation.name
        tail.insert(.operation(operation, isObject: isObject), at: Int(generator.next() % UInt64(tail.count + 1)))
      }
    }
    changed.steps = script.steps.prefix(kept) + tail
    changed.hasHangingAttempts = script.hasHangingAttempts || other.hasHangingAttempts
    return changed
  }

  private static func shape(_ flow: Flow) -> [StepShape] { flow.makeLaunch().shape }

  /// Returns true if a step of the outermost flow that has begun is different in both flows, including everything in
  /// it.
  ///
  /// Steps are compared by their paths, not by their numbers.
  private static func differs(_ old: [StepShape], _ new: [StepShape], upTo reached: ResumePosition) -> Bool {
    func lines(_ shape: [StepShape], _ top: Int) -> [String] {
      let name = shape[top].path
      return shape.filter { $0.path == name || $0.path.hasPrefix(name + " > ") }.map(\.text)
    }
    let tops = { (shape: [StepShape], isAtEnd: Bool) in
      shape.indices.filter { shape[$0].block == .root && shape[$0].isAtEnd == isAtEnd }
    }
    let (oldTops, newTops) = (tops(old, false), tops(new, false))
    let begun = oldTops.filter { reached.steps.contains($0) }.count
    guard newTops.count >= begun else { return true }
    for (one, other) in zip(oldTops, newTops).prefix(begun) where lines(old, one) != lines(new, other) { return true }
    if reached.endedBlocks.contains(.root), newTops.count != oldTops.count { return true }
    return reached.isAtEnd && tops(old, true).map { old[$0].path } != tops(new, true).map { new[$0].path }
  }
}
