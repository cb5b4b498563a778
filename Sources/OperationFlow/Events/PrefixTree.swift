/// Texts in a tree in which those that begin alike share their beginning.
///
/// Adding a text, and finding the longest one at a place, reads each byte at most once, no matter how many there are.
struct PrefixTree: Sendable {
  /// The bytes that texts share up to the next one at which they differ.
  private struct Node: Sendable {
    /// The position of these bytes in the tree.
    var piece: Range<Int>
    /// Whether a text ends with them.
    var isEnd = false
  }

  /// What was found at a place of another text.
  struct Match: Equatable {
    /// The length of the longest text that is there as a whole; `nil` if none is.
    var whole: Int?
    /// How many bytes there are the beginning of a text.
    var length = 0
  }

  private var bytes: [UInt8] = []
  var byteCount: Int { bytes.count }
  private var nodes = [Node(piece: 0..<0)]
  /// The nodes that follow a node, by that and their first byte.
  private var branches: [Int: Int] = [:]

  /// Adds a text; false if it is there already.
  mutating func insert(_ text: [UInt8]) -> Bool {
    var (node, index) = (0, 0)
    while index < text.count {
      guard let next = branches[Self.branch(of: node, text[index])] else {
        branches[Self.branch(of: node, text[index])] = nodes.count
        nodes.append(Node(piece: bytes.count..<(bytes.count + text.count - index), isEnd: true))
        bytes += text[index...]
        return true
      }
      let count = sharedCount(next, text, index)
      node = count == nodes[next].piece.count ? next : split(next, of: node, after: count)
      index += count
    }
    defer { nodes[node].isEnd = true }
    return !nodes[node].isEnd
  }

  /// The texts that are at an index of another, or begin there.
  func match(in text: [UInt8], at start: Int) -> Match {
    var (node, match) = (0, Match())
    while start + match.length < text.count {
      guard let next = branches[Self.branch(of: node, text[start + match.length])] else { break }
      let count = sharedCount(next, text, start + match.length)
      match.length += count
      if count < nodes[next].piece.count { break }
      if nodes[next].isEnd { match.whole = match.length }
      node = next
    }
    return match
  }

  private static func branch(of node: Int, _ byte: UInt8) -> Int { node << 8 | Int(byte) }

  /// How many bytes of a node's piece are at an index of a text.
  private func sharedCount(_ node: Int, _ text: [UInt8], _ index: Int) -> Int {
    let piece = nodes[node].piece
    let limit = min(piece.count, text.count - index)
    var count = 0
    while count < limit, bytes[piece.lowerBound + count] == text[index + count] { count += 1 }
    return count
  }

  /// Divides a node in two, because a new text shares only its first bytes.
  private mutating func split(_ node: Int, of parent: Int, after count: Int) -> Int {
    let (piece, middle) = (nodes[node].piece, nodes.count)
    let end = piece.lowerBound + count
    nodes.append(Node(piece: piece.lowerBound..<end))
    nodes[node].piece = end..<piece.upperBound
    branches[Self.branch(of: parent, bytes[piece.lowerBound])] = middle
    branches[Self.branch(of: middle, bytes[end])] = node
    return middle
  }
}
