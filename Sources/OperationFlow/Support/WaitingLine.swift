/// A queue from whose middle values can be removed, in constant time on average.
struct WaitingLine<Element: Sendable>: Sendable {
  /// The place of a value, which no other value of the queue ever has.
  final class ID: @unchecked Sendable {
    // Invariant: read and written only by the queue that the place is in, and so under what guards that queue.
    fileprivate var element: Element?

    fileprivate init(_ element: Element) { self.element = element }

    fileprivate func take() -> Element? { element.take() }
  }

  /// The places in order, among them some whose values have been removed.
  private var places = Fifo<ID>()
  private(set) var count = 0
  var isEmpty: Bool { count == 0 }

  mutating func append(_ element: Element) -> ID {
    let place = ID(element)
    places.append(place)
    count += 1
    return place
  }

  /// Takes out the oldest value; `nil` if the queue is empty.
  mutating func popFirst() -> Element? {
    while let place = places.popFirst() {
      if let element = place.take() {
        count -= 1
        return element
      }
    }
    return nil
  }

  /// Takes out a value, wherever it is; `nil` if it has already been taken out.
  mutating func remove(_ place: ID) -> Element? {
    guard let element = place.take() else { return nil }
    count -= 1
    if places.count > 2 * count + 64 {
      let kept = places.elements.filter { $0.element != nil }
      places = Fifo()
      for place in kept { places.append(place) }
    }
    return element
  }
}
