/// A queue from whose middle values can be removed, in constant time.
struct LinkedQueue<Element> {
  /// A value's place in the queue; it finds nothing once the value has been removed.
  struct ID: Sendable, Hashable {
    fileprivate let index: Int32
    fileprivate let number: UInt64
  }

  fileprivate struct Place {
    var element: Element?
    /// Unique, so that a place that is used again isn't mistaken for the one that it was; 0 if it is free.
    var number: UInt64
    var previous: Int32
    /// The next value in the queue; of a free place, the next free one.
    var next: Int32
  }

  private static var none: Int32 { -1 }
  /// An empty queue with more places than this gives their memory back.
  private static var keptCount: Int { 64 }

  private var places: [Place] = []
  private var firstFree = none
  private var head = none
  private var tail = none
  private var lastNumber: UInt64 = 0
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  mutating func append(_ element: Element) -> ID {
    lastNumber += 1
    let place = Place(element: element, number: lastNumber, previous: tail, next: Self.none)
    let index: Int32
    if firstFree == Self.none {
      index = Int32(places.count)
      places.append(place)
    } else {
      index = firstFree
      firstFree = places[Int(index)].next
      places[Int(index)] = place
    }
    if tail == Self.none { head = index } else { places[Int(tail)].next = index }
    tail = index
    count += 1
    return ID(index: index, number: lastNumber)
  }

  /// Takes out the oldest value; `nil` if the queue is empty.
  mutating func popFirst() -> Element? { head == Self.none ? nil : remove(at: head) }

  /// Takes out a value, wherever it is; `nil` if it has already been taken out.
  mutating func remove(_ id: ID) -> Element? {
    guard Int(id.index) < places.count, places[Int(id.index)].number == id.number else { return nil }
    return remove(at: id.index)
  }

  private mutating func remove(at index: Int32) -> Element? {
    let place = places[Int(index)]
    if place.previous == Self.none { head = place.next } else { places[Int(place.previous)].next = place.next }
    if place.next == Self.none { tail = place.previous } else { places[Int(place.next)].previous = place.previous }
    count -= 1
    if count == 0, places.count > Self.keptCount {
      (places, firstFree) = ([], Self.none)
    } else {
      places[Int(index)] = Place(element: nil, number: 0, previous: Self.none, next: firstFree)
      firstFree = index
    }
    return place.element
  }
}

extension LinkedQueue.Place: Sendable where Element: Sendable {}
extension LinkedQueue: Sendable where Element: Sendable {}
