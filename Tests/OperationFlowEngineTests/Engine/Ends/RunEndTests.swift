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
    await forEachSeed(count: 40) { seed in
      var random = SeededGenerator(seed: seed)
      let pieces = random.next()
      let plain = EndRun(kind, seed: pieces, .interrupted(at: .max, by: {}, untilIdle: false))
      if let complaint = await plain.perform() { return "\(kind): \(complaint)" }
      let event = EndEvent.allCases[random.below(EndEvent.allCases.count)]
      let (point, untilIdle) = (random.below(plain.scheduler.pointCount), random.oneIn(2))
      let place = Locked<EndRun?>(nil)
      defer { place.withLock { $0 = nil } }
      let run = EndRun(
        kind, seed: pieces,
        .interrupted(at: point, by: { place.withLock { $0 }?.happen(event) }, untilIdle: untilIdle))
      place.withLock { $0 = run }
      return await run.perform().map { "\(kind), \(event) at \(point)\(untilIdle ? " until idle" : ""): \($0)" }
    }
  }
}
