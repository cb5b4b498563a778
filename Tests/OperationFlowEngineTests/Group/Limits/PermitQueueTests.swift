import TestSupport
import Testing

@testable import OperationFlow

/// A waiter that has a number.
private final class Numbered: PermitWaiter {
  let number: Int
  private let token: Token?

  init(_ number: Int, _ token: Token? = nil) { (self.number, self.token) = (number, token) }

  func permitArrived() -> [FlowLimiter] { [] }
}

extension [any PermitWaiter] {
  fileprivate var numbers: [Int] { compactMap { ($0 as? Numbered)?.number } }
}

@Suite(.watched) struct PermitQueueTests {
  private typealias Queue = PermitQueue

  @Test func `starts before the queue was there count as its own`() {
    var queue = Queue(limit: 9, rate: .init(starts: 3, period: .seconds(10)))
    #expect(queue.acquire(at: .seconds(1)) == true)
    queue.begin(at: .seconds(1))
    queue.recordStarts([.seconds(-9), .seconds(-8), .seconds(-20)], at: .seconds(1))
    #expect(queue.acquire(at: .seconds(1)) == true, "those whose time is over don't count")
    queue.begin(at: .seconds(1))
    _ = queue.wait(Numbered(1))
    #expect(queue.nextGrant == .seconds(2) && queue.grant(at: .milliseconds(1_999)).isEmpty)
    #expect(queue.grant(at: .seconds(2)).numbers == [1])
  }

  @Test func `numbers that make no sense let one at a time through, and extreme ones are no trap`() {
    var queue = Queue(limit: -3, rate: .init(starts: 0, period: .seconds(-1)))
    #expect(queue.acquire(at: .zero) && !queue.acquire(at: .zero))
    queue.begin(at: .zero)
    queue.release(hasBegun: true)
    #expect(queue.acquire(at: .zero) == true)
    var endless = Queue(limit: .max, rate: .init(starts: 1, period: .seconds(Int64.max)))
    #expect(endless.acquire(at: .seconds(Int64.max / 2)) == true)
    endless.begin(at: .seconds(Int64.max / 2))
    _ = endless.wait(Numbered(1))
    #expect(endless.grant(at: .seconds(Int64.max / 2)).isEmpty && endless.nextGrant != nil)
  }

  @Test func `a place finds nothing once its waiter has left, even after all have, and holds nobody then`() {
    let isFreed = Signal()
    var queue = Queue(limit: 1)
    #expect(queue.acquire(at: .zero) == true)
    let gone = (0..<1_000).map { queue.wait(Numbered($0)) }
    #expect(gone.allSatisfy { queue.leave($0) } && queue.waitingCount == 0)
    let last = queue.wait(Numbered(0, Token(isFreed)))
    #expect(!gone.contains { queue.leave($0) } && queue.leave(last) && isFreed.isOn)
    queue.release(hasBegun: true)
    _ = queue.wait(Numbered(7))
    #expect(queue.grant(at: .zero).numbers == [7])
  }

  /// A plain model of the queue: it stores every start, and counts all of them anew each time.
  private struct Reference {
    let limit: Int
    let rate: Queue.Rate?
    var held = 0
    var unbegun = 0
    var starts: [Duration] = []
    var waiting: [(number: Int, precedence: Int)] = []

    func mayGive(at time: Duration) -> Bool {
      guard held < limit else { return false }
      guard let rate else { return true }
      return starts.count { $0 + rate.period > time } + unbegun < rate.starts
    }

    mutating func give() {
      held += 1
      unbegun += 1
    }
  }

  @Test(arguments: UInt64(0)..<300) func `it does what a plain model does, whatever happens in which order`(
    seed: UInt64
  ) {
    var random = SeededGenerator(seed: seed)
    let rate = random.oneIn(3) ? nil : Queue.Rate(starts: 1 + random.below(4), period: .seconds(1 + random.below(5)))
    var model = Reference(limit: 1 + random.below(4), rate: rate)
    var queue = Queue(limit: model.limit, rate: rate)
    var places: [Int: Int] = [:]
    var (now, unbegun, begun) = (Duration.zero, 0, 0)
    for step in 0..<400 {
      switch random.below(7) {
      case 0: now += .milliseconds(random.below(2_000))
      case 1, 2:
        let isFree = model.waiting.isEmpty && model.mayGive(at: now)
        #expect(queue.acquire(at: now) == isFree, "seed \(seed), step \(step)")
        if isFree {
          model.give()
          unbegun += 1
        } else {
          let precedence = random.oneIn(2) ? 0 : random.below(3) - 1
          places[step] = queue.wait(Numbered(step), precedence: precedence)
          let place = model.waiting.firstIndex { $0.precedence < precedence } ?? model.waiting.endIndex
          model.waiting.insert((step, precedence), at: place)
        }
      case 3 where unbegun > 0:
        let time = queue.begin(at: now)
        guard !random.oneIn(5) else {
          // The call only leads to the work, so it isn't the start.
          queue.removeStart(at: time)
          continue
        }
        model.starts.append(now)
        model.unbegun -= 1
        (unbegun, begun) = (unbegun - 1, begun + 1)
      case 4 where begun > 0:
        queue.release(hasBegun: true)
        model.held -= 1
        begun -= 1
      case 5 where unbegun > 0 && random.oneIn(4):
        queue.release(hasBegun: false)
        (model.held, model.unbegun) = (model.held - 1, model.unbegun - 1)
        unbegun -= 1
      case 6 where !places.isEmpty && random.oneIn(2):
        let waiter = places.keys.sorted()[random.below(places.count)]
        let index = model.waiting.firstIndex { $0.number == waiter }
        #expect(places[waiter].map { queue.leave($0) } == (index != nil), "seed \(seed), step \(step)")
        if let index { model.waiting.remove(at: index) }
        places[waiter] = nil
      default: break
      }
      if random.oneIn(2) {
        var expected: [Int] = []
        while !model.waiting.isEmpty, model.mayGive(at: now) {
          expected.append(model.waiting.removeFirst().number)
          model.give()
          unbegun += 1
        }
        #expect(queue.grant(at: now).numbers == expected, "seed \(seed), step \(step)")
        if let next = queue.nextGrant {
          #expect(next > now && model.mayGive(at: next) && !model.mayGive(at: now), "seed \(seed), step \(step)")
        } else {
          let waitsForTime =
            rate != nil && !model.waiting.isEmpty && model.held < model.limit && unbegun < (rate?.starts ?? 0)
          #expect(!waitsForTime, "seed \(seed), step \(step)")
        }
      }
      #expect(queue.heldCount == model.held && queue.waitingCount == model.waiting.count, "seed \(seed), step \(step)")
    }
    guard let rate else { return }
    for start in model.starts {
      #expect(model.starts.count { $0 >= start && $0 < start + rate.period } <= rate.starts, "seed \(seed)")
    }
  }
}
