import OperationFlow

/// The colors of a state, which Mermaid and Graphviz diagrams share.
struct DiagramColors {
  let fill: String
  let stroke: String

  /// Creates the colors of a state.
  init(_ state: FlowRecord.State) {
    (fill, stroke) =
      switch state {
      case .succeeded: ("#d3f9d8", "#2b8a3e")
      case .failed: ("#ffe3e3", "#c92a2a")
      case .cancelled: ("#fff3bf", "#e67700")
      case .running: ("#d0ebff", "#1971c2")
      case .skipped, .neverRan, .waiting: ("#f1f3f5", "#868e96")
      }
  }
}
