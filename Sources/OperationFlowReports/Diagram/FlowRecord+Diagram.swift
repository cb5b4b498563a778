import OperationFlow

extension FlowRecord {
  /// The run as a Mermaid flowchart, with the state and the duration of each step; GitHub and many editors draw it.
  ///
  /// Arrows that the run has not followed are dashed. A group is one box, no matter how many items it has. Names may
  /// contain any character; the first 100 characters are shown. Mermaid draws at most 500 arrows and 50,000 characters,
  /// unless its configuration allows more; ``dot`` has no such limit.
  public var mermaid: String { MermaidFlowchart(Diagram(DiagramTree(self))).text }

  /// The run in Graphviz's language DOT, with the state and the duration of each step; `dot -Tsvg` draws it.
  ///
  /// It has the same boxes, arrows and texts as ``mermaid``.
  public var dot: String { GraphvizGraph(Diagram(DiagramTree(self)), name: flowName).text }
}

extension FlowBlueprint {
  /// The flow as a Mermaid flowchart, before it runs; GitHub and many editors draw it.
  ///
  /// A group is one box. Steps that always run are in their own boxes at the end. Names may contain any character; the
  /// first 100 characters are shown. Mermaid draws at most 500 arrows and 50,000 characters, unless its configuration
  /// allows more; ``dot`` has no such limit.
  public var mermaid: String { MermaidFlowchart(Diagram(DiagramTree(self))).text }

  /// The flow in Graphviz's language DOT, before it runs; `dot -Tsvg` draws it.
  ///
  /// It has the same boxes, arrows and texts as ``mermaid``.
  public var dot: String { GraphvizGraph(Diagram(DiagramTree(self)), name: name).text }
}
