import Foundation

/// The dates of runs, the earliest first.
struct DueHeap: Sendable {
  struct Entry: Sendable {
    let date: Date
    let number: Int
    let id: String
  }

  private var entries: [Entry] = []

  var first: Entry? { entries.first }
  var count: Int { entries.count }

  /// Removes the entries for which a function returns false.
  mutating func keep(_ isKept: (Entry) -> Bool) {
    let kept = entries.filter(isKept)
    entries = []
    for entry in kept { insert(entry) }
  }

  mutating func insert(_ entry: Entry) {
    entries.append(entry)
    var index = entries.count - 1
    while index > 0, entries[index].date < entries[(index - 1) / 2].date {
      entries.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  mutating func removeFirst() {
    guard let last = entries.popLast(), !entries.isEmpty else { return }
    entries[0] = last
    var index = 0
    while true {
      var least = index
      for child in [2 * index + 1, 2 * index + 2]
      where child < entries.count && entries[child].date < entries[least].date {
        least = child
      }
      if least == index { return }
      entries.swapAt(index, least)
      index = least
    }
  }
}
