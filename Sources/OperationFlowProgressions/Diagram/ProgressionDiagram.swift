import OperationFlow

/// The steps that a progression went through, as a diagram: each name once, with an arrow for every transition.
///
/// ```swift
/// var diagram = ProgressionDiagram()
/// let text = try await Greeting.name("Al").run(drawing: &diagram)
/// print(diagram.mermaid)
/// ```
/// For a flow's run, use ``OperationFlow/FlowReport/diagram(of:item:)``. A diagram holds only the names of steps, never
/// their values.
public struct ProgressionDiagram: Sendable, Hashable, CustomStringConvertible {
  /// How a progression ended.
  enum Ending: String, Hashable, Sendable {
    case succeeded, failed, cancelled
  }

  /// Where an arrow begins or ends.
  enum Node: Hashable, Sendable {
    case start
    case step(String)
    /// Steps that a record has left out.
    case leftOut
    case end(Ending)
  }

  struct Arrow: Hashable, Sendable {
    let from: Node
    let to: Node
  }

  /// In the order in which they first came.
  private(set) var arrows: [Arrow] = []
  private(set) var counts: [Arrow: Int] = [:]
  private var position = Node.start

  /// Creates an empty diagram.
  public init() {}

  // MARK: Collecting

  /// Notes that a step has been reached; a step with a result is the end.
  ///
  /// - Parameter step: The step; the first and the last one count as well.
  public mutating func reach<Step: Progression>(_ step: Step) {
    move(to: .step(step.stepName))
    if step.result != nil { move(to: .end(.succeeded)) }
  }

  /// Notes that the step that was reached last has failed, or was cancelled.
  ///
  /// - Parameter error: The error that it threw; `CancellationError`, and a `FlowError` with the code `cancelled`, are
  ///   cancellations.
  public mutating func end(throwing error: any Error) {
    let isCancellation = error is CancellationError || (error as? FlowError)?.code == .cancelled
    move(to: .end(isCancellation ? .cancelled : .failed))
  }

  /// After an end, the next step belongs to another run.
  private mutating func move(to node: Node) {
    add(Arrow(from: position, to: node))
    if case .end = node { position = .start } else { position = node }
  }

  mutating func add(_ arrow: Arrow) {
    if counts[arrow] == nil { arrows.append(arrow) }
    counts[arrow, default: 0] += 1
  }

  // MARK: Drawing

  /// The diagram as a Mermaid `stateDiagram-v2`: GitHub, DocC sites and many editors draw it.
  ///
  /// Transitions that happened several times are labeled with their count. A failure and a cancellation end in a state
  /// of that name.
  public var mermaid: String { MermaidStates(self).text }

  /// The same as ``mermaid``.
  public var description: String { mermaid }
}

extension Progression {
  /// Takes all steps from this one on, notes them in a diagram, and returns the result.
  ///
  /// - Parameter diagram: Gets the steps and the end, errors included; you can use one diagram for several runs.
  /// - Returns: The result.
  /// - Throws: What ``run()`` throws.
  public func run(drawing diagram: inout ProgressionDiagram) async throws -> Result {
    var cursor = StepCursor(self)
    diagram.reach(cursor.step)
    while true {
      if let result = cursor.step.result { return result }
      do {
        try await cursor.advance()
      } catch {
        diagram.end(throwing: error)
        throw error
      }
      diagram.reach(cursor.step)
    }
  }
}
