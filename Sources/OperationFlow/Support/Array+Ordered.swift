extension Array {
  /// The elements in an order, which is stable.
  ///
  /// Numbers are sorted in their place: a sort of each type of its own would be 2 KB of every program.
  func ordered(by isBefore: (Element, Element) -> Bool) -> [Element] {
    order(of: count) { isBefore(self[$0], self[$1]) }.map { self[$0] }
  }
}

@inline(never)
private func order(of count: Int, _ isBefore: (Int, Int) -> Bool) -> [Int] {
  withoutActuallyEscaping(isBefore) { (0..<count).sorted(by: $0) }
}
