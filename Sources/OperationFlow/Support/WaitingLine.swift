/// A queue from whose middle values can be removed, in constant time on average.
struct WaitingLine<Element> {
  /// A value's number, which no other value of the queue ever has.
  typealias ID = Int

  private var elements: [ID: Element] = [:]
  /// The values' numbers in order, among them those of some that have been removed.
  private var order = Fifo<ID>()
  private var lastID = 0

  var count: Int { elements.count }
  var isEmpty: Bool { elements.isEmpty }

  mutating func append(_ element: Element) -> ID {
    lastID += 1
    elements[lastID] = element
    order.append(lastID)
    return lastID
  }

  /// Takes out the oldest value; `nil` if the queue is empty.
  mutating func popFirst() -> Element? {
    while let id = order.popFirst() {
      if let element = elements.removeValue(forKey: id) { return element }
    }
    // Gives its memory back.
    elements = [:]
    return nil
  }

  /// Takes out a value, wherever it is; `nil` if it has already been taken out.
  mutating func remove(_ id: ID) -> Element? {
    let element = elements.removeValue(forKey: id)
    if order.count > 2 * elements.count + 64 {
      let kept = order.elements.filter { elements[$0] != nil }
      order = Fifo()
      for id in kept { order.append(id) }
    }
    return element
  }
}

extension WaitingLine: Sendable where Element: Sendable {}
