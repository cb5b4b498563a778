import TestSupport
import Testing

@testable import OperationFlow

@Suite(.watched) struct WaitingLineTests {
  @Test func `it is a queue from which anything can be taken out, whatever happens in between`() {
    for seed in UInt64(0)..<100 {
      var random = SeededGenerator(seed: seed)
      var queue = WaitingLine<Int>()
      var model: [(number: Int, id: WaitingLine<Int>.ID)] = []
      var gone: [WaitingLine<Int>.ID] = []
      for number in 0..<400 {
        switch random.below(random.oneIn(40) ? 4 : 3) {
        case 0: model.append((number, queue.append(number)))
        case 1 where !model.isEmpty:
          let taken = model.remove(at: random.below(model.count))
          gone.append(taken.id)
          #expect(queue.remove(taken.id) == taken.number, "seed \(seed)")
        case 2: if random.oneIn(2) { #expect(queue.popFirst() == model.popFirst(&gone), "seed \(seed)") }
        default: while !model.isEmpty { #expect(queue.popFirst() == model.popFirst(&gone), "seed \(seed)") }
        }
        #expect(queue.count == model.count && queue.isEmpty == model.isEmpty, "seed \(seed)")
        if let id = gone.last { #expect(queue.remove(id) == nil, "seed \(seed)") }
      }
    }
  }

  @Test
  func `the identifier of one that was taken out finds nothing, even after the queue was empty and is used again`() {
    var queue = WaitingLine<Int>()
    let ids = (0..<1_000).map { queue.append($0) }
    while queue.popFirst() != nil {}
    let kept = (0..<1_000).map { queue.append($0) }
    #expect(ids.allSatisfy { queue.remove($0) == nil })
    #expect(queue.remove(kept[500]) == 500 && queue.count == 999)
  }

  @Test func `it holds nothing that has been taken out`() {
    let isFreed = Signal()
    var queue = WaitingLine<Token>()
    _ = queue.append(Token(Signal()))
    let id = queue.append(Token(isFreed))
    _ = queue.append(Token(Signal()))
    _ = queue.remove(id)
    #expect(isFreed.isOn && queue.count == 2)
  }
}

extension [(number: Int, id: WaitingLine<Int>.ID)] {
  fileprivate mutating func popFirst(_ gone: inout [WaitingLine<Int>.ID]) -> Int? {
    guard let first else { return nil }
    removeFirst()
    gone.append(first.id)
    return first.number
  }
}
