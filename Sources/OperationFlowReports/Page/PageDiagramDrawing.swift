import OperationFlow

/// Draws a diagram as SVG.
struct PageDiagramDrawing {
  private typealias Size = PageDiagram.Size

  let diagram: PageDiagram
  let record: FlowRecord
  /// The results of undos.
  let aftermath: RunAftermath
  private var svg = ""

  init(_ diagram: PageDiagram, _ record: FlowRecord) {
    (self.diagram, self.record) = (diagram, record)
    aftermath = RunAftermath(record)
  }

  /// Returns the text of the `<svg>` element.
  mutating func drawn() -> String {
    let size = diagram.nodes[0]
    svg = "<svg class=\"diagram\" role=\"group\" aria-label=\"Diagram of the flow\" width=\"\(size.width)\" "
    svg += "height=\"\(size.height)\" viewBox=\"0 0 \(size.width) \(size.height)\">\n"
    // SVG draws later elements over earlier ones: boxes cover edges, and edges are above frames.
    for index in diagram.nodes.indices {
      if case .frame(let step) = diagram.nodes[index].kind { drawFrame(index, step) }
    }
    for index in diagram.nodes.indices { drawEdges(index) }
    drawEnds()
    for index in diagram.nodes.indices {
      switch diagram.nodes[index].kind {
      case .box(let step): drawBox(index, step)
      case .gap(let steps): drawGap(index, steps)
      case .flow, .frame: break
      }
    }
    return svg + "</svg>\n"
  }

  // MARK: Boxes

  private mutating func open(_ step: FlowRecord.Step, _ shape: String, _ within: Int) {
    var label = "\(step.name), \(step.kind.word), \(step.state.word.lowercased())"
    if let duration = step.duration { label += ", " + DurationText.of(duration) }
    if let before = step.beforeResume { label += ", \(before)" }
    if let items = step.items { label += ", " + items.text(hasEnded: step.state != .running && step.state != .waiting) }
    if within > 0 { label += ", " + PageText.count(within, "step") + " within" }
    let text = PageText.html(PageText.cut(label, 400))
    svg += "<g class=\"\(shape) s-\(step.state.rawValue)\" role=\"img\" data-step=\"\(step.id)\" "
    svg += "aria-label=\"\(text)\"><title>\(text)</title>"
  }

  private mutating func drawFrame(_ index: Int, _ step: Int) {
    let (node, value) = (diagram.nodes[index], diagram.tree.steps[step])
    let isBranch = value.kind == .branch
    open(value, isBranch ? "branch" : value.kind == .always ? "frame always" : "frame", 0)
    rect(node.x, node.y, node.width, node.height, radius: isBranch ? 6 : 10)
    icon(value.state, node.x + Size.padding, node.y + 10)
    let room = (node.width - Size.padding * 2 - 20) / 8
    let name = value.number.map { "\($0). \(value.name)" } ?? value.name
    let detail = isBranch ? "" : " · " + value.kind.word + suffix(value)
    text(name, node.x + Size.padding + 20, node.y + 22, "name", room: room, detail: detail)
    svg += "</g>\n"
  }

  private mutating func drawBox(_ index: Int, _ step: Int) {
    let (node, value) = (diagram.nodes[index], diagram.tree.steps[step])
    let within = diagram.tree.countsWithin[step]
    let isGroup = value.items != nil
    open(value, isGroup ? "box group" : "box", within)
    if isGroup { rect(node.x + 5, node.y + 5, node.width, node.height, radius: 8) }
    rect(node.x, node.y, node.width, node.height, radius: 8)
    icon(value.state, node.x + 12, node.y + 9)
    let name = value.number.map { "\($0). \(value.name)" } ?? value.name
    text(name, node.x + 32, node.y + 21, "name", room: 25)
    var detail = value.state.word + " · " + value.kind.word
    if within > 0 { detail += " · " + PageText.count(within, "step") }
    text(detail + suffix(value), node.x + 12, node.y + 38, "detail", room: 39)
    var y = node.y + 38
    if let items = value.items {
      bar(items, node.x + 12, y + 9, node.width - 24)
      text(items.succeededText, node.x + 12, y + 28, "detail", room: 39)
      y += Size.line + 12
      let rest = items.rest(hasEnded: value.state != .running && value.state != .waiting)
      if !rest.isEmpty {
        text(rest, node.x + 12, y + Size.line, "detail", room: 42)
        y += Size.line
      }
    }
    if diagram.hasMarks(value) { text(marks(value), node.x + 12, y + Size.line, "marks", room: 39) }
    svg += "</g>\n"
  }

  private mutating func drawGap(_ index: Int, _ steps: [Int]) {
    let node = diagram.nodes[index]
    let states = Set(steps.map { diagram.tree.steps[$0].state })
    let word = states.count == 1 ? ", " + (states.first?.word.lowercased() ?? "") : ""
    let noun = diagram.tree.steps[steps[0]].kind == .branch ? "branch" : "step"
    let label = PageText.count(steps.count, "more " + noun, noun == "branch" ? "more branches" : nil)
    svg += "<g class=\"gap\">"
    rect(node.x, node.y, node.width, node.height, radius: 15)
    svg += "<text class=\"detail\" text-anchor=\"middle\" x=\"\(node.x + node.width / 2)\" y=\"\(node.y + 20)\">"
    svg += "\(label)\(word)</text></g>\n"
  }

  private func suffix(_ step: FlowRecord.Step) -> String {
    if step.beforeResume != nil { return " · before the resume" }
    // The duration of cases is only that of the choice, without the steps of the branch.
    guard step.kind != .cases, let duration = step.duration else { return "" }
    return " · " + DurationText.of(duration)
  }

  private func marks(_ step: FlowRecord.Step) -> String {
    var marks: [String] = []
    if step.attempts > 1 {
      marks.append(PageText.count(step.attempts, "attempt"))
    } else if step.options.contains(.retry) {
      marks.append("retry")
    }
    if step.options.contains(.undo) {
      let undos = aftermath.undoTexts(of: step.id)
      marks.append("↶ " + (undos.isEmpty ? "can be undone" : undos.joined(separator: ", ")))
    }
    if step.options.contains(.condition) { marks.append("condition") }
    if step.options.contains(.timeout) { marks.append("time limit") }
    if step.options.contains(.wait) { marks.append("waits") }
    return marks.joined(separator: " · ")
  }

  // MARK: Edges

  private mutating func drawEdges(_ index: Int) {
    let node = diagram.nodes[index]
    guard !node.children.isEmpty else { return }
    let center = node.x + node.width / 2
    if diagram.isSplit(node.kind) {
      for child in node.children {
        let to = diagram.nodes[child]
        let (x, top) = (to.x + to.width / 2, node.y + Size.header)
        edge("M\(center) \(top - 4)V\(top + 8)H\(x)V\(to.y - 2)", diagram.isReached(child), arrow: (x, to.y - 1))
        let bottom = node.y + node.height - 6
        edge("M\(x) \(to.y + to.height)V\(bottom - 8)H\(center)V\(bottom)", diagram.isReached(child))
      }
    } else {
      for (from, to) in zip(node.children, node.children.dropFirst()) {
        let (above, below) = (diagram.nodes[from], diagram.nodes[to])
        edge(
          "M\(center) \(above.y + above.height)V\(below.y - 2)", diagram.isPassed(from) && diagram.isReached(to),
          arrow: (center, below.y - 1))
      }
    }
  }

  /// Draws the marks for the beginning and the end of the flow.
  private mutating func drawEnds() {
    let flow = diagram.nodes[0]
    let center = flow.width / 2
    let word = record.ending.map { FlowRecord.State($0.result).word } ?? "Under way"
    let state = record.ending.map { FlowRecord.State($0.result) } ?? .running
    let bottom = flow.height - Size.end - Size.padding / 2
    end("Start", center, Size.padding / 2, "start")
    if let first = flow.children.first, let last = flow.children.last {
      let (top, under) = (diagram.nodes[first], diagram.nodes[last])
      edge(
        "M\(center) \(Size.padding / 2 + Size.end)V\(top.y - 2)", diagram.isReached(first), arrow: (center, top.y - 1))
      let isTaken = record.ending != nil && diagram.isReached(last)
      edge("M\(center) \(under.y + under.height)V\(bottom - 2)", isTaken, arrow: (center, bottom - 1))
    }
    end(word, center, bottom, "s-" + state.rawValue)
  }

  private mutating func end(_ word: String, _ center: Int, _ y: Int, _ style: String) {
    svg += "<g class=\"end \(style)\">"
    rect(center - 56, y, 112, Size.end, radius: 14)
    svg += "<text text-anchor=\"middle\" x=\"\(center)\" y=\"\(y + 19)\">\(word)</text></g>\n"
  }

  private mutating func edge(_ path: String, _ isTaken: Bool, arrow: (x: Int, y: Int)? = nil) {
    let style = isTaken ? "edge taken" : "edge"
    svg += "<path class=\"\(style)\" d=\"\(path)\"/>"
    if let (x, y) = arrow {
      svg += "<path class=\"\(isTaken ? "head taken" : "head")\" "
      svg += "d=\"M\(x - 4) \(y - 7)L\(x) \(y)L\(x + 4) \(y - 7)Z\"/>"
    }
    svg += "\n"
  }

  // MARK: Parts

  private mutating func rect(_ x: Int, _ y: Int, _ width: Int, _ height: Int, radius: Int) {
    // A line of one pixel is sharp if its center is at half a pixel.
    svg += "<rect x=\"\(x).5\" y=\"\(y).5\" width=\"\(width - 1)\" height=\"\(height - 1)\" rx=\"\(radius)\"/>"
  }

  private mutating func icon(_ state: FlowRecord.State, _ x: Int, _ y: Int) {
    svg += "<use href=\"#i-\(state.rawValue)\" x=\"\(x)\" y=\"\(y)\" width=\"14\" height=\"14\"/>"
  }

  private mutating func text(
    _ text: String, _ x: Int, _ y: Int, _ style: String, room: Int, detail: String = ""
  ) {
    let name = PageText.fitting(text, max(room - detail.count, 8))
    svg += "<text class=\"\(style)\" x=\"\(x)\" y=\"\(y)\">\(PageText.html(name))"
    if !detail.isEmpty {
      svg += "<tspan class=\"detail\">\(PageText.html(PageText.fitting(detail, max(room - 8, 10))))</tspan>"
    }
    svg += "</text>"
  }

  /// Draws a bar for the results of a group's items.
  private mutating func bar(_ items: FlowReport.Items, _ x: Int, _ y: Int, _ width: Int) {
    svg += items.bar(x: x, y: y, width: width, height: 6)
  }
}
