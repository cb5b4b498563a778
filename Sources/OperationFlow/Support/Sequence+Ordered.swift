extension Sequence {
  /// The elements in an order, which is stable.
  ///
  /// Numbers are sorted in their place: a sort of each type of its own would be 2 KB of every program.
  func ordered(by isBefore: (Element, Element) -> Bool) -> [Element] {
    let elements = Array(self)
    return order(of: elements.count) { isBefore(elements[$0], elements[$1]) }.map { elements[$0] }
  }
}

private func order(of count: Int, _ isBefore: (Int, Int) -> Bool) -> [Int] {
  withoutActuallyEscaping(isBefore) { (0..<count).sorted(by: $0) }
}
