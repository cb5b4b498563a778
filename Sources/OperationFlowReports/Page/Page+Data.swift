import OperationFlow

extension Page {
  /// Appends all data of the page's script, as one JSON object.
  ///
  /// Steps, events and spans are arrays of fields, which is a third of the size of objects. The fields are:
  /// - a step: number, parent or -1, name, kind, state, the names of its inputs and of its outputs, its options;
  /// - an event: number, microseconds since the start, word, level, name, step or -1, item or -1, attempt, text; then,
  ///   for a write, the new and the old value or `null`; for the beginning and the end of a run, the values by name;
  /// - a span: step's position, item or -1, attempt, start, end, state, row, 1 if it is critical, 1 if it is an undo,
  ///   event or -1, the text of its duration;
  /// - a gap, for events of a group that the record has left out: step's position, first row, rows, start, end, events.
  ///
  /// Words, names and states are positions in the arrays with these names.
  func appendData(to page: inout String) {
    page += "{\"version\":1,\"flow\":" + PageText.json(record.flowName) + ",\"start\":\(start),\"end\":\(timeline.end)"
    page += ",\"failure\":\(failureEvent ?? -1)"
    page += ",\"length\":\"\(DurationText.of(.microseconds(timeline.end)))\""
    page += ",\"words\":["
    append(PageWord.allCases, to: &page) { "[" + PageText.json($0.text) + ",\"\($0.topic)\",\"\($0.rawValue)\"]" }
    page += "],\"states\":["
    append(FlowRecord.State.allCases, to: &page) { "[\"\($0.rawValue)\",\"\($0.word)\"]" }
    page += "],\n\"steps\":["
    append(record.steps, to: &page) { step in
      "[\(step.id),\(step.parent ?? -1)," + PageText.json(step.name) + "," + PageText.json(step.kind.word)
        + ",\(Self.number(step.state))," + Self.list(step.inputs) + "," + Self.list(step.outputs) + ","
        + Self.list(step.options.map(\.rawValue).sorted()) + "]"
    }
    var names = PageNames()
    page += "],\n\"events\":["
    append(record.events, to: &page) { row($0, &names) }
    page += "],\n\"names\":["
    append(names.all, to: &page, PageText.json)
    page += "],\n\"rowCount\":\(timeline.rowCount),\"spans\":["
    append(timeline.spans, to: &page) { span in
      "[\(span.step),\(span.item ?? -1),\(span.attempt),\(span.start),\(span.end),\(Self.number(span.state)),"
        + "\(span.row),\(span.isCritical ? 1 : 0),\(span.isUndo ? 1 : 0),\(span.event ?? -1),"
        + "\"\(DurationText.of(.microseconds(span.end - span.start)))\"]"
    }
    page += "],\n\"gaps\":["
    append(timeline.gaps, to: &page) { gap in
      "[\(gap.step),\(timeline.rows[gap.step] + 1),\(timeline.lanes[gap.step].count),\(gap.start),\(gap.end),\(gap.events)]"
    }
    page += "]}"
  }

  private func append<Values: Sequence>(
    _ values: Values, to page: inout String, _ text: (Values.Element) -> String
  ) {
    var isFirst = true
    for value in values {
      if !isFirst { page += ",\n" }
      isFirst = false
      page += text(value)
    }
  }

  private func row(_ event: FlowEvent, _ names: inout PageNames) -> String {
    let (shown, source) = (PageEvent(event), event.source)
    var row = "[\(event.number),\(event.microseconds(since: start)),\(Self.number(shown.word)),\(shown.level.rawValue),"
    row += "\(names.position(of: source.name)),\(event.step ?? -1),\(source.item ?? -1),\(event.attempt),"
    row += PageText.json(shown.text)
    if shown.new != nil || shown.old != nil {
      row += "," + (shown.new.map(PageText.json) ?? "null") + "," + (shown.old.map(PageText.json) ?? "null")
    } else if let data = shown.data {
      row += ",["
      append(data, to: &row) { "[" + PageText.json($0.name) + "," + PageText.json($0.text) + "]" }
      row += "]"
    }
    return row + "]"
  }

  private static func list(_ texts: [String]) -> String {
    "[" + texts.map(PageText.json).joined(separator: ",") + "]"
  }

  /// Returns the position of a state or a word in the page's list of states or words.
  private static func number<Word: CaseIterable & Equatable>(_ word: Word) -> Int where Word.AllCases == [Word] {
    Word.allCases.firstIndex(of: word) ?? 0
  }
}

/// The names of the events' sources, each once.
private struct PageNames {
  private(set) var all: [String] = []
  private var positions: [String: Int] = [:]

  mutating func position(of name: String) -> Int {
    if let position = positions[name] { return position }
    all.append(name)
    positions[name] = all.count - 1
    return all.count - 1
  }
}
