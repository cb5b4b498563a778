import OperationFlow
import TestSupport
import Testing

@Suite(.watched) struct FifoTests {
  @Test func `it is a queue, whatever goes in and out in between`() {
    for seed in UInt64(0)..<50 {
      var random = SeededGenerator(seed: seed)
      var fifo = Fifo<Int>()
      var model: [Int] = []
      for number in 0..<300 {
        if random.oneIn(2) {
          fifo.append(number)
          model.append(number)
        } else {
          #expect(fifo.popFirst() == (model.isEmpty ? nil : model.removeFirst()), "seed \(seed)")
        }
        #expect(fifo.count == model.count && fifo.elements == model, "seed \(seed)")
      }
    }
  }

  @Test func `it holds nothing that has been taken out`() async {
    let isFreed = Signal()
    var fifo = Fifo<Token>()
    fifo.append(Token(isFreed))
    for _ in 0..<9 { fifo.append(Token(Signal())) }
    _ = fifo.popFirst()
    #expect(isFreed.isOn && fifo.count == 9)
  }
}
