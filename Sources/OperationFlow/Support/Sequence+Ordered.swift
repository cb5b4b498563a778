extension Sequence {
  /// The elements in a stable order: numbers are sorted in their place, because each other sort would take 2 KB.
  func ordered(by isBefore: (Element, Element) -> Bool) -> [Element] {
    let elements = Array(self)
    return order(of: elements.count) { isBefore(elements[$0], elements[$1]) }.map { elements[$0] }
  }
}

@inline(never)
private func order(of count: Int, _ isBefore: (Int, Int) -> Bool) -> [Int] {
  withoutActuallyEscaping(isBefore) { (0..<count).sorted(by: $0) }
}
