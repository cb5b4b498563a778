extension FlowRecord.Cause {
  /// How many characters of a value a cause shows.
  private static let valueLimit = 100
  /// How many values a cause shows.
  private static let valueCount = 10

  /// Where the run failed, and what the step had read; `nil` if no step is to blame.
  var placeText: String? {
    guard let path else { return nil }
    let place = LineText.escaped(ValueText.cut(path.description, limit: 300))
    let values = inputsText.map { "; it read \($0)" } ?? ""
    return "Failed at: \(place)\(item.map { ", item #\($0)" } ?? "")\(values)"
  }

  /// The values that the step had read, in one line; `nil` if it declares none.
  var inputsText: String? {
    guard !inputs.isEmpty else { return nil }
    let shown = inputs.prefix(Self.valueCount).map { input in
      LineText.escaped("\(input.name) = \(ValueText.cut(input.text, limit: Self.valueLimit))")
    }
    let rest = inputs.count - shown.count
    return shown.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
  }
}
