import TestSupport
import Testing

@testable import OperationFlow

/// Lets other events meet the end of a run, at each point between a decision and its effects.
@Suite(.long) struct RunEndTests {
  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  @Test(arguments: [false, true])
  func `whatever meets the end of a run in any order, the run ends once, and nothing remains`(isFree: Bool) async {
    await forEachSeed(count: isFree ? 200 : 1_000) { seed in
      var random = SeededGenerator(seed: seed)
      let kind = EndKind.allCases[random.below(EndKind.allCases.count)]
      let events = (0..<random.below(4)).map { _ in
        (event: EndEvent.allCases[random.below(EndEvent.allCases.count)], delay: random.below(random.oneIn(2) ? 6 : 40))
      }
      let rarity = 1 + random.below(12)
      let run = EndRun(
        kind, seed: random.next(), .random(SeededGenerator(seed: random.next()), oneIn: rarity), isFree: isFree)
      return await run.perform(events).map { "\(kind), \(events), 1 of \(rarity): \($0)" }
    }
  }

  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  @Test(arguments: EndKind.allCases)
  func `an event at any single point leaves a run with one end`(kind: EndKind) async {
    // Only in some of the quiet flows does the run end before its watch begins.
    await forEachSeed(count: kind == .quiet ? 10 : 2) { seed in
      var random = SeededGenerator(seed: seed)
      let plain = EndRun(kind, seed: seed, .interrupted(at: .max, by: {}, untilIdle: false))
      if let complaint = await plain.perform() { return "\(kind): \(complaint)" }
      // A cancel at each point, and other events at some.
      let points = plain.scheduler.pointCount
      let others = (0..<20).map { _ in (EndEvent.allCases[random.below(EndEvent.allCases.count)], random.below(points))
      }
      for (event, point) in (0..<points).map({ (EndEvent.cancel, $0) }) + others {
        let untilIdle = event == .cancel || random.oneIn(2)
        let complaint = await Self.run(kind, seed, event, at: point, untilIdle: untilIdle)
        if let complaint { return "\(kind), \(event) at \(point)\(untilIdle ? " until idle" : ""): \(complaint)" }
      }
      return nil
    }
  }

  /// Runs a flow that an event interrupts at one point; returns a complaint, or `nil`.
  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  private static func run(_ kind: EndKind, _ seed: UInt64, _ event: EndEvent, at point: Int, untilIdle: Bool) async
    -> String?
  {
    let place = Locked<EndRun?>(nil)
    defer { place.withLock { $0 = nil } }
    let run = EndRun(
      kind, seed: seed, .interrupted(at: point, by: { place.withLock { $0 }?.happen(event) }, untilIdle: untilIdle))
    place.withLock { $0 = run }
    return await run.perform()
  }
}
