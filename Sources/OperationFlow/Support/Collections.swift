/// The identifier of a value in a `Slab`: its place, and the use of that place.
package struct SlabID: Sendable, Hashable {
  fileprivate let index: Int32
  fileprivate let use: Int32

  /// The number of the place, which later values in this place have too.
  package var place: Int { Int(index) }
  /// The identifier of the next value in the same place.
  package var next: SlabID { SlabID(index: index, use: use &+ 2) }

  /// Returns true if this value was inserted before another value in the same place.
  func isEarlier(than other: SlabID) -> Bool { use &- other.use < 0 }
}

/// Plain values in numbered places that are reused; the identifier of a removed value finds no value.
///
/// A removed value stays in memory until its place is reused, so values should contain no references.
struct Slab<Value: Sendable>: Sendable {
  private struct Place: Sendable {
    /// The number of times that the place was filled and emptied, which is odd while there is a value.
    var use: Int32 = 1
    /// For an empty place, the place that was emptied before it; -1 for none.
    var nextFree: Int32 = -1
    var value: Value
  }

  private var places: [Place] = []
  /// The place that was emptied last; -1 for none.
  private var firstFree: Int32 = -1
  private(set) var count = 0

  /// The values with their identifiers, in no particular order.
  var all: [(id: SlabID, value: Value)] {
    if count == 0 { return [] }
    return places.indices.compactMap { index in
      let place = places[index]
      return place.use & 1 == 1 ? (SlabID(index: Int32(index), use: place.use), place.value) : nil
    }
  }

  func contains(_ id: SlabID) -> Bool { Int(id.index) < places.count && places[Int(id.index)].use == id.use }

  subscript(id: SlabID) -> Value? { contains(id) ? places[Int(id.index)].value : nil }

  mutating func insert(_ value: Value) -> SlabID {
    count += 1
    let index = firstFree
    guard index >= 0 else {
      places.append(Place(value: value))
      return SlabID(index: Int32(places.count - 1), use: 1)
    }
    firstFree = places[Int(index)].nextFree
    places[Int(index)].value = value
    places[Int(index)].use &+= 1
    return SlabID(index: index, use: places[Int(index)].use)
  }

  mutating func remove(_ id: SlabID) -> Value? {
    guard contains(id) else { return nil }
    let index = Int(id.index)
    places[index].use &+= 1
    places[index].nextFree = firstFree
    firstFree = id.index
    count -= 1
    return places[index].value
  }

  /// Changes a value in place; returns `nil` if it was removed.
  mutating func update<Result>(_ id: SlabID, _ change: (inout Value) -> Result) -> Result? {
    contains(id) ? change(&places[Int(id.index)].value) : nil
  }
}

/// A queue of values that doesn't retain removed values.
package struct Fifo<Element> {
  private var slots: [Element?] = []
  private var head = 0

  package init() {}

  package var count: Int { slots.count - head }
  package var elements: [Element] { slots[head...].compactMap(\.self) }
  package var first: Element? { head < slots.count ? slots[head] : nil }

  package mutating func append(_ element: Element) { slots.append(element) }

  /// Removes the newest value for which `isMeant` returns true, if there is one.
  package mutating func removeLast(where isMeant: (Element) -> Bool) {
    guard let index = slots.lastIndex(where: { $0.map(isMeant) ?? false }) else { return }
    slots.remove(at: index)
  }

  package mutating func popFirst() -> Element? {
    guard head < slots.count else { return nil }
    let element = slots[head]
    slots[head] = nil
    head += 1
    // The rest is moved when more than half is empty, so that each value is moved once on average.
    if head * 2 > slots.count {
      slots.removeFirst(head)
      head = 0
    }
    return element
  }
}

extension Fifo: Sendable where Element: Sendable {}

extension SlabID {
  /// Creates the identifier of the first value in a place.
  package init(place: Int) { self.init(index: Int32(clamping: place), use: 1) }
}

extension Optional {
  /// Returns the value; if there is none, makes one and stores it.
  mutating func orNew(_ make: @autoclosure () -> Wrapped) -> Wrapped {
    let value = self ?? make()
    self = value
    return value
  }

  /// The value, or a default; a change of the default stores it.
  subscript(default value: @autoclosure () -> Wrapped) -> Wrapped {
    get { self ?? value() }
    set { self = newValue }
  }
}
