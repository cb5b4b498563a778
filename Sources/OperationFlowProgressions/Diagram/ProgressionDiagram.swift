import OperationFlow

/// The steps that a progression has reached, as a diagram: each name once, with an arrow for every transition.
///
/// ```swift
/// var diagram = ProgressionDiagram()
/// let text = try await Greeting.name("Al").run(drawing: &diagram)
/// print(diagram.mermaid)
/// ```
/// For a flow's run, use ``OperationFlow/FlowReport/diagram(of:item:)``. A diagram contains only the names of steps,
/// never their values.
public struct ProgressionDiagram: Sendable, Hashable, CustomStringConvertible {
  /// The ending of a progression.
  enum Ending: String, Hashable, Sendable {
    case succeeded, failed, cancelled
  }

  /// The beginning or the end of an arrow.
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

  /// The arrows, in the order of their first occurrence.
  private(set) var arrows: [Arrow] = []
  private(set) var counts: [Arrow: Int] = [:]
  private var position = Node.start

  /// Creates an empty diagram.
  public init() {}

  // MARK: Collecting

  /// Adds a step that has been reached; a step with a result is the end.
  ///
  /// - Parameter step: The step. Add the first and the last one, too.
  public mutating func reach<Step: Progression>(_ step: Step) {
    move(to: .step(step.stepName))
    if step.result != nil { move(to: .end(.succeeded)) }
  }

  /// Adds the end of a progression that has failed, or was cancelled, after the step that was added last.
  ///
  /// - Parameter error: The error that the step threw; `CancellationError`, and a `FlowError` with the code
  ///   `cancelled`, are cancellations.
  public mutating func end(throwing error: any Error) {
    let isCancellation = error is CancellationError || (error as? FlowError)?.code == .cancelled
    move(to: .end(isCancellation ? .cancelled : .failed))
  }

  /// Adds an arrow to a node; after an end, the next step belongs to another run.
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
  /// Transitions that occurred several times are labeled with their count. A failure and a cancellation end in a state
  /// of that name.
  public var mermaid: String { MermaidStates(self).text }

  /// The diagram's ``mermaid`` text.
  public var description: String { mermaid }
}

extension Progression {
  /// Runs all steps from this one, adds them to a diagram, and returns the result.
  ///
  /// - Parameter diagram: The diagram that gets the steps and the end, errors included. You can use it for several
  ///   runs.
  /// - Returns: The result.
  /// - Throws: The errors of ``run()``.
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
