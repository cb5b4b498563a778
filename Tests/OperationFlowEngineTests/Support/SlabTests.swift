import Testing

@testable import OperationFlow

@Suite(.watched) struct SlabTests {
  @Test func `a value is found, changed and removed once`() {
    var slab = Slab<String>()
    let id = slab.insert("a")
    #expect(slab.contains(id) && slab[id] == "a" && slab.count == 1)
    #expect(slab.update(id) { $0 += "b" } != nil)
    #expect(slab.remove(id) == "ab")
    #expect(slab.remove(id) == nil && slab[id] == nil && !slab.contains(id) && slab.count == 0)
    #expect(slab.update(id) { $0 += "c" } == nil)
  }

  @Test func `an identifier whose value is gone finds nothing, also when its place is used again`() {
    var slab = Slab<Int>()
    let old = slab.insert(1)
    _ = slab.remove(old)
    let new = slab.insert(2)
    #expect(new.place == old.place && new != old)
    #expect(slab[old] == nil && slab.update(old) { $0 = 3 } == nil && slab.remove(old) == nil)
    #expect(slab[new] == 2 && slab.count == 1)
  }

  @Test func `an identifier of another slab with more places finds nothing`() {
    var other = Slab<Int>()
    for value in 0..<3 { _ = other.insert(value) }
    let last = other.insert(3)
    var slab = Slab<Int>()
    _ = slab.insert(0)
    #expect(slab[last] == nil && slab.remove(last) == nil)
  }

  @Test func `random changes agree with a dictionary`() {
    var random = SeededGenerator(seed: 7)
    var slab = Slab<Int>()
    var values: [SlabID: Int] = [:]
    var removed: [SlabID] = []
    for number in 0..<5_000 {
      if random.oneIn(2) || values.isEmpty {
        let id = slab.insert(number)
        #expect(values.updateValue(number, forKey: id) == nil)
      } else if let id = values.keys.sorted(by: { $0.place < $1.place }).randomElement(using: &random) {
        #expect(slab.remove(id) == values.removeValue(forKey: id))
        removed.append(id)
      }
      if let id = removed.randomElement(using: &random) { #expect(slab[id] == nil) }
      #expect(slab.count == values.count)
    }
    #expect(Dictionary(uniqueKeysWithValues: slab.all.map { ($0.id, $0.value) }) == values)
  }
}
