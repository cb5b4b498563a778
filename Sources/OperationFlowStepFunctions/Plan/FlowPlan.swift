import OperationFlow

/// What an engine elsewhere needs to know of a flow: its steps with their options, and nothing of their work.
struct FlowPlan: Sendable {
  /// The flow's name.
  let name: String
  /// Its steps, in order.
  let steps: [Step]
  /// What runs at the end, whatever happened, in order: each is a flow of its own.
  let always: [Step]
  /// How long a run may take.
  let deadline: Duration?
  /// What concerns the flow as a whole and can't be done elsewhere.
  let obstacles: [Obstacle]
  /// The names that are sensitive.
  let sensitiveNames: Set<String>
  /// The names of the values that a run begins with.
  let initialNames: Set<String>
  /// Which other values are sensitive because of their names.
  let redaction: FlowRedaction

  /// Whether the values of a name are sensitive: they are shown as `<redacted>`, and not carried in plain text.
  func hides(_ name: String) -> Bool { sensitiveNames.contains(name) || redaction.redacts(name) }

  /// One step with what is known about it.
  struct Step: Sendable {
    /// Its number, which is unique in the flow.
    let id: Int
    let path: FlowPath
    let name: String
    let kind: Kind
    /// All keys that it declares.
    let keys: [Key]
    /// The keys that it reads; `nil` if it may read any, or can do without some of them.
    let reads: [Key]?
    /// The keys that it writes; `nil` if it may write any.
    let writes: [Key]?
    let retry: Retry?
    /// How long an attempt may take.
    let timeout: Duration?
    let undo: Undo?
    /// The conditions that compare a key with values; all have to be met.
    let conditions: [Comparison]
    /// Whether there are conditions that only code can decide.
    let hasOtherConditions: Bool
    let obstacles: [Obstacle]
  }

  /// What a step does.
  enum Kind: Sendable {
    /// An operation or a closure.
    case work
    /// Time passes, and nothing is done.
    case pause(StepPause)
    case group(Group)
    case cases([Case], otherwise: [Step]?)
    /// Another flow, with the values that it begins with as JSON.
    case flow([Step], data: [String: [UInt8]])
    case parallel([[Step]])
  }

  struct Group: Sendable {
    /// The key of the array that the items come from.
    let input: String
    /// The key of the array of outputs; `nil` if there is none.
    let output: String?
    let width: Int
    let tolerance: FlowTolerance
    /// Whether each item is a closure, which always has an output.
    let runsClosure: Bool
  }

  struct Case: Sendable {
    let comparison: Comparison
    let steps: [Step]
  }

  /// A key, and the values of which it must hold one, as JSON.
  struct Comparison: Sendable {
    let key: String
    let values: [[UInt8]]
  }

  struct Key: Sendable {
    let name: String
    let isSensitive: Bool
    let isRequired: Bool
    /// The name of its type; `nil` if it isn't known.
    let type: String?
    /// Whether its values can be written as JSON and read again; true if the type isn't known.
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

  /// Something that can't be done elsewhere.
  struct Obstacle: Sendable {
    let problem: String
    let remedy: String

    init(_ problem: String, remedy: String) { (self.problem, self.remedy) = (problem, remedy) }
  }
}
