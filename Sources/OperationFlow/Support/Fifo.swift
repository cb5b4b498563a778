/// A queue of values that doesn't retain values that have been taken out.
package struct Fifo<Element> {
  private var slots: [Element?] = []
  private var head = 0

  package init() {}

  package var count: Int { slots.count - head }
  package var elements: [Element] { slots[head...].compactMap(\.self) }
  package var first: Element? { head < slots.count ? slots[head] : nil }

  package mutating func append(_ element: Element) { slots.append(element) }

  /// Removes the newest value that is meant, if there is one.
  package mutating func removeLast(where isMeant: (Element) -> Bool) {
    guard let index = slots.lastIndex(where: { $0.map(isMeant) ?? false }) else { return }
    slots.remove(at: index)
  }

  package mutating func popFirst() -> Element? {
    guard head < slots.count else { return nil }
    // Most queues are short, and the only value is taken where it is.
    if head == 0, slots.count == 1 { return slots.removeLast() }
    let element = slots[head]
    slots[head] = nil
    head += 1
    // The rest is moved when half is empty, so that each value is moved once on average.
    if head * 2 > slots.count {
      slots.removeFirst(head)
      head = 0
    }
    return element
  }
}

extension Fifo: Sendable where Element: Sendable {}
