/// What an engine elsewhere needs to know of a flow: its steps with their options, and nothing of their work.
package struct FlowPlan: Sendable {
  /// The flow's name.
  package let name: String
  /// Its steps, in order.
  package let steps: [Step]
  /// What runs at the end, whatever happened, in order: each is a flow of its own.
  package let always: [Step]
  /// How long a run may take.
  package let deadline: Duration?
  /// What concerns the flow as a whole and can't be done elsewhere.
  package let obstacles: [Obstacle]
  /// The names that are sensitive.
  package let sensitiveNames: Set<String>
  /// The names of the values that a run begins with.
  package let initialNames: Set<String>
  /// Which other values records hide because of their names.
  package let redaction: FlowRedaction

  /// Whether the values of a name are shown as `<redacted>`.
  package func hides(_ name: String) -> Bool { sensitiveNames.contains(name) || redaction.redacts(name) }

  /// One step with what is known about it.
  package struct Step: Sendable {
    /// Its number, which is unique in the flow.
    package let id: Int
    package let path: FlowPath
    package let name: String
    package let kind: Kind
    /// All keys that it declares.
    package let keys: [Key]
    /// The keys that it reads; `nil` if it may read any, or can do without some of them.
    package let reads: [Key]?
    /// The keys that it writes; `nil` if it may write any.
    package let writes: [Key]?
    package let retry: Retry?
    /// How long an attempt may take.
    package let timeout: Duration?
    package let undo: Undo?
    /// The conditions that compare a key with values; all have to be met.
    package let conditions: [Comparison]
    /// Whether there are conditions that only code can decide.
    package let hasOtherConditions: Bool
    package let obstacles: [Obstacle]
  }

  /// What a step does.
  package enum Kind: Sendable {
    /// An operation or a closure.
    case work
    case group(Group)
    case cases([Case], otherwise: [Step]?)
    /// Another flow, with the values that it begins with as JSON.
    case flow([Step], data: [String: [UInt8]])
    case parallel([[Step]])
  }

  package struct Group: Sendable {
    /// The key of the array that the items come from.
    package let input: String
    /// The key of the array of outputs; `nil` if there is none.
    package let output: String?
    package let width: Int
    package let tolerance: FlowTolerance
    /// Whether each item is a closure, which always has an output.
    package let runsClosure: Bool
  }

  package struct Case: Sendable {
    package let comparison: Comparison
    package let steps: [Step]
  }

  /// A key, and the values of which it must hold one, as JSON.
  package struct Comparison: Sendable {
    package let key: String
    package let values: [[UInt8]]
  }

  package struct Key: Sendable {
    package let name: String
    package let isSensitive: Bool
    package let isStored: Bool
    package let isRequired: Bool
    /// The name of its type; `nil` if it isn't known.
    package let type: String?
    /// Whether its values can be written as JSON and read again; true if the type isn't known.
    package let isCodable: Bool

    package init(
      name: String, isSensitive: Bool, isStored: Bool, isRequired: Bool, type: String?, isCodable: Bool
    ) {
      (self.name, self.isSensitive, self.isStored) = (name, isSensitive, isStored)
      (self.isRequired, self.type, self.isCodable) = (isRequired, type, isCodable)
    }
  }

  package struct Retry: Sendable {
    package let attempts: Int
    package let first: Duration
    package let factor: Double
    package let limit: Duration
  }

  package struct Undo: Sendable {
    package let retry: Retry?
    package let timeout: Duration?
  }

  /// Something that can't be done elsewhere.
  package struct Obstacle: Sendable {
    package let problem: String
    package let remedy: String

    package init(_ problem: String, remedy: String) { (self.problem, self.remedy) = (problem, remedy) }
  }
}
