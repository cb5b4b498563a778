/// Places spans on lanes, so that two spans on the same lane don't overlap, unless one is the parent of the other.
///
/// A span is on the lane of its parent if that lane is free at that time, and otherwise on the first free lane.
struct TimelineLanes {
  /// The lane of each span, counted from 0.
  private(set) var lanes: [Int]
  /// The number of lanes.
  var count: Int { open.count }

  /// The spans that are open on each lane, from the outside in.
  private var open: [[Int]] = []
  /// The lanes that have become free, with the lowest first.
  private var free = Heap()
  /// The ends of the outermost spans of the other lanes.
  private var busy = Heap()

  init(_ spans: [Timeline.Span]) {
    lanes = Array(repeating: 0, count: spans.count)
    // In `spans`, a parent precedes its children, so a parent is also first if both begin at the same time.
    let order = spans.indices.sorted { left, right in
      (spans[left].begin, left) < (spans[right].begin, right)
    }
    for index in order {
      let span = spans[index]
      if let parent = span.parent, place(index, on: lanes[parent], within: parent, spans) { continue }
      while let next = busy.first, next.key <= span.begin {
        busy.removeFirst()
        free.insert(key: Int64(next.value), value: next.value)
      }
      let lane: Int
      if let first = free.first {
        free.removeFirst()
        lane = first.value
      } else {
        lane = open.count
        open.append([])
      }
      open[lane] = [index]
      lanes[index] = lane
      // The run's lane is never free.
      if span.parent != nil { busy.insert(key: span.end, value: lane) }
    }
  }

  /// Places a span within its parent if it fits there, and returns true if it does.
  private mutating func place(_ index: Int, on lane: Int, within parent: Int, _ spans: [Timeline.Span]) -> Bool {
    while let top = open[lane].last, top != parent, spans[top].end <= spans[index].begin { open[lane].removeLast() }
    guard open[lane].last == parent, spans[index].end <= spans[parent].end else { return false }
    open[lane].append(index)
    lanes[index] = lane
    return true
  }
}

/// A binary heap of numbers with keys: the lowest key is first.
private struct Heap {
  private var entries: [(key: Int64, value: Int)] = []

  var first: (key: Int64, value: Int)? { entries.first }

  mutating func insert(key: Int64, value: Int) {
    var index = entries.count
    entries.append((key, value))
    while index > 0, entries[(index - 1) / 2].key > key {
      entries[index] = entries[(index - 1) / 2]
      index = (index - 1) / 2
    }
    entries[index] = (key, value)
  }

  mutating func removeFirst() {
    guard let last = entries.popLast(), !entries.isEmpty else { return }
    var index = 0
    while true {
      var child = 2 * index + 1
      guard child < entries.count else { break }
      if child + 1 < entries.count, entries[child + 1].key < entries[child].key { child += 1 }
      guard entries[child].key < last.key else { break }
      entries[index] = entries[child]
      index = child
    }
    entries[index] = last
  }
}
