import OperationFlow

extension FlowReport.Items {
  /// The number of items that have ended.
  var ended: Int { succeeded &+ failed &+ cancelled }

  /// Returns the number of items, and the number of each result; these add up to the number of items.
  func text(hasEnded: Bool) -> String {
    let rest = rest(hasEnded: hasEnded)
    let counts = ["\(PageText.grouped(succeeded)) succeeded"] + (rest.isEmpty ? [] : [rest])
    // The total isn't known if a sequence was not read to its end.
    let known = PageText.count(ended, "item") + (hasEnded ? " ended" : " so far")
    let all = total.map { PageText.count($0, "item") } ?? known
    return all + ": " + counts.joined(separator: ", ")
  }

  /// The number of items that succeeded, of all items, as the first line in a box.
  var succeededText: String {
    "\(PageText.grouped(succeeded)) of \(total.map { PageText.count($0, "item") } ?? "the items") succeeded"
  }

  /// Returns the counts of the items that haven't succeeded, by result; empty if there are none.
  func rest(hasEnded: Bool) -> String {
    let open = max((total ?? 0) &- ended, 0)
    return [(failed, "failed"), (cancelled, "cancelled"), (open, hasEnded ? "never started" : "not ended yet")]
      .filter { $0.0 > 0 }.map { PageText.grouped($0.0) + " " + $0.1 }.joined(separator: ", ")
  }

  /// Returns a bar for the results of the items, as SVG.
  func bar(x: Int, y: Int, width: Int, height: Int) -> String {
    let all = max(total ?? 0, succeeded &+ failed &+ cancelled)
    var (text, left) = ("<rect class=\"bar\" x=\"\(x)\" y=\"\(y)\" width=\"\(width)\" height=\"\(height)\"/>", x)
    guard all > 0 else { return text }
    for (count, style) in [(failed, "failed"), (cancelled, "cancelled"), (succeeded, "succeeded")] where count > 0 {
      // A result of even one item is visible.
      let part = max(Int(Double(width) * min(Double(count) / Double(all), 1)), 2)
      let room = min(part, x + width - left)
      guard room > 0 else { continue }
      text += "<rect class=\"bar b-\(style)\" x=\"\(left)\" y=\"\(y)\" width=\"\(room)\" height=\"\(height)\"/>"
      left += room
    }
    return text
  }
}

extension FlowRecord.State {
  init(_ result: FlowRecord.Ending.Result) {
    switch result {
    case .succeeded: self = .succeeded
    case .failed: self = .failed
    case .cancelled: self = .cancelled
    }
  }
}

extension PageText {
  /// Returns a text cut to about the width of a number of Latin letters; wide characters count twice.
  static func fitting(_ text: String, _ room: Int) -> String {
    var (fitted, used) = ("", 0)
    for character in visible(String(text.prefix(room + 1))) {
      used += character.unicodeScalars.first.map { $0.value >= 0x1100 ? 2 : 1 } ?? 1
      guard used <= room, character.utf8.count < 64 else { return fitted + "…" }
      fitted.append(character)
    }
    return fitted
  }
}
