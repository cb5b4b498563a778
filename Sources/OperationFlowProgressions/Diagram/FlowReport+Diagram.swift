import OperationFlow

extension FlowReport {
  /// Returns a diagram of the steps that a progression of this run has reached, from its record.
  ///
  /// If the record has left events out, the diagram has a state `…` in their place.
  ///
  /// - Parameters:
  ///   - step: The name of the flow's step, as the summary shows it: the name passed to `progress`, the key of
  ///     `forEach`, or otherwise the operation's type.
  ///   - item: The index of a group's item, counted from 0; `nil` draws all items of the group into one diagram.
  /// - Returns: The diagram; `nil` if the record has no progression with that name.
  public func diagram(of step: String, item: Int? = nil) -> ProgressionDiagram? {
    ProgressionDiagram(events, of: step, item: item)
  }
}

extension ProgressionDiagram {
  /// Creates a diagram of a progression's steps from the events of a flow; `nil` if the progression is not among them.
  ///
  /// - Parameters:
  ///   - events: The events, in order: those of a `FlowReport`, or those that `FlowRun.events` has delivered so far.
  ///   - step: The name of the flow's step.
  ///   - item: The index of a group's item, counted from 0; `nil` draws all items of the group into one diagram.
  public init?(_ events: some Sequence<FlowEvent>, of step: String, item: Int? = nil) {
    self.init()
    var positions: [FlowEvent.Source: Node] = [:]
    var unknown = Node.start
    var isProgression = false
    for event in events {
      if case .leftOut = event.kind {
        for source in positions.keys { leave(&positions[source]) }
        unknown = .leftOut
      }
      guard event.source.name == step, item == nil || event.source.item == item else { continue }
      switch event.kind {
      case .started:
        positions[event.source] = .start
      case .progressed(let name):
        isProgression = true
        add(Arrow(from: positions[event.source] ?? unknown, to: .step(name)))
        positions[event.source] = .step(name)
      case .finished(let finish):
        guard let position = positions.removeValue(forKey: event.source) else { break }
        add(Arrow(from: position, to: .end(Self.ending(finish))))
      default: break
      }
    }
    if !isProgression { return nil }
  }

  /// Adds a gap: the next event of a source doesn't follow the last one.
  private mutating func leave(_ position: inout Node?) {
    if let from = position, from != .leftOut { add(Arrow(from: from, to: .leftOut)) }
    position = .leftOut
  }

  private static func ending(_ finish: FlowEvent.Finish) -> ProgressionDiagram.Ending {
    switch finish {
    case .successfully: .succeeded
    case .cancelled: .cancelled
    case .withError, .withInsufficientInputData, .withMismatchInputDataType: .failed
    }
  }
}
