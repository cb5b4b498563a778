extension RunDigest {
  /// A step of the flow, or a branch of one, with what became of it.
  package struct Step: Sendable {
    /// Its number, to which events refer.
    package let id: Int
    /// The number of the step or branch that contains it; `nil` at the outermost level.
    package let parent: Int?
    /// Its name; for a branch of cases, its condition.
    package internal(set) var name: String
    /// Its place among the steps beside it, counted from 1; `nil` for a branch.
    package let number: Int?
    package let kind: Kind
    package internal(set) var path: FlowPath
    /// The names of the values that it declares to read.
    package internal(set) var inputs: [String]
    /// The names of the values that it declares to write.
    package internal(set) var outputs: [String]
    /// The options that it was added with.
    package let options: StepMarks
    package let state: StepState
    /// The duration; `nil` if the step has not ended, or began before a resume.
    package let duration: Duration?
    /// The part of the step before a durable run was resumed; `nil` if there was none.
    package let beforeResume: FlowReport.BeforeResume?
    /// The number of attempts; 0 if the step never began.
    package let attempts: Int
    /// The numbers of a group's items; `nil` if they are not known.
    package let items: Items?

    package init(
      id: Int, parent: Int?, name: String, number: Int?, kind: Kind, path: FlowPath, inputs: [String] = [],
      outputs: [String] = [], options: StepMarks = [], state: StepState, duration: Duration? = nil,
      beforeResume: FlowReport.BeforeResume? = nil, attempts: Int = 0, items: Items? = nil
    ) {
      (self.id, self.parent, self.name, self.number) = (id, parent, name, number)
      (self.kind, self.path, self.inputs, self.outputs) = (kind, path, inputs, outputs)
      (self.options, self.state, self.duration, self.beforeResume) = (options, state, duration, beforeResume)
      (self.attempts, self.items) = (attempts, items)
    }
  }

  /// The kind of a step.
  package enum Kind: Sendable, Hashable {
    case operation(type: String)
    case closure
    /// A group, with the text of its event if it stops.
    case group(width: Int, stopText: String?)
    case cases
    /// A branch of cases or of a parallel step.
    case branch
    case flow
    case parallel
    case always
    /// What another version of the library has saved.
    case other(String)
  }

  /// The numbers of a group's items, by how they ended.
  package typealias Items = FlowReport.Items
}
