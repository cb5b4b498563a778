import OperationFlow

/// The description of a flow for another engine: its steps with their options, but not their code.
struct FlowPlan: Sendable {
  /// The flow's name.
  let name: String
  /// The flow's steps, in order.
  let steps: [Step]
  /// The steps that always run at the end, in order: each is a flow of its own.
  let always: [Step]
  /// The time limit of a run.
  let deadline: Duration?
  /// The obstacles that concern the flow as a whole.
  let obstacles: [Obstacle]
  /// The names that are sensitive.
  let sensitiveNames: Set<String>
  /// The names of the values that a run begins with.
  let initialNames: Set<String>
  /// The rule for other names whose values are sensitive.
  let redaction: FlowRedaction

  /// Returns true if the values of a name are sensitive: they are shown as `<redacted>`, and not sent in plain text.
  func hides(_ name: String) -> Bool { sensitiveNames.contains(name) || redaction.redacts(name) }

  /// One step with its properties.
  struct Step: Sendable {
    /// The step's number, which is unique in the flow.
    let id: Int
    let path: FlowPath
    let name: String
    let kind: Kind
    /// All keys that the step declares.
    let keys: [Key]
    /// The keys that the step reads; `nil` if it may read any, or doesn't require all of them.
    let reads: [Key]?
    /// The keys that the step writes; `nil` if it may write any.
    let writes: [Key]?
    let retry: Retry?
    /// The time limit of an attempt.
    let timeout: Duration?
    let undo: Undo?
    /// The conditions that compare a key with values; all have to be met.
    let conditions: [Comparison]
    /// True if there are conditions that only code can evaluate.
    let hasOtherConditions: Bool
    let obstacles: [Obstacle]
  }

  /// The kind of a step.
  enum Kind: Sendable {
    /// An operation or a closure.
    case work
    /// A step that only waits.
    case pause(StepPause)
    case group(Group)
    case cases([Case], otherwise: [Step]?)
    /// Another flow, with its initial values as JSON.
    case flow([Step], data: [String: [UInt8]])
    case parallel([[Step]])
  }

  struct Group: Sendable {
    /// The key of the array that the items are read from.
    let input: String
    /// The key of the array of outputs; `nil` if there is none.
    let output: String?
    let width: Int
    let tolerance: FlowTolerance
    /// True if each item is a closure, which always has an output.
    let runsClosure: Bool
  }

  struct Case: Sendable {
    let comparison: Comparison
    let steps: [Step]
  }

  /// A key, and the values as JSON, one of which the key must equal.
  struct Comparison: Sendable {
    let key: String
    let values: [[UInt8]]
  }

  struct Key: Sendable {
    let name: String
    let isSensitive: Bool
    let isRequired: Bool
    /// The name of the values' type; `nil` if it isn't known.
    let type: String?
    /// True if the values can be written as JSON and read again, and if their type isn't known.
    let isCodable: Bool

    init(name: String, isSensitive: Bool, isRequired: Bool, type: String?, isCodable: Bool) {
      (self.name, self.isSensitive) = (name, isSensitive)
      (self.isRequired, self.type, self.isCodable) = (isRequired, type, isCodable)
    }
  }

  struct Retry: Sendable {
    let attempts: Int
    let first: Duration
    let factor: Double
    let limit: Duration
  }

  struct Undo: Sendable {
    let retry: Retry?
    let timeout: Duration?
  }

  /// A property of a flow or a step that another engine can't support.
  struct Obstacle: Sendable {
    let problem: String
    let remedy: String

    init(_ problem: String, remedy: String) { (self.problem, self.remedy) = (problem, remedy) }
  }
}
