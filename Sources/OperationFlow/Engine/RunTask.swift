/// The task of a run that performs one step for another engine; an object, because hardly any run has one.
package final class RunTask: Sendable {
  package enum Kind: Sendable { case step, item, undo }

  package let kind: Kind
  /// The identifier of the other engine's run.
  let run: String
  let attempt: Int
  package let item: Int?
  package let itemValue: (any Sendable)?
  /// The output of an item that is being undone.
  package let output: (any Sendable)?
  /// The end of the other engine's run, if it is decided.
  let ending: FlowEnding?

  package init(
    _ kind: Kind, run: String, attempt: Int, item: (index: Int, value: any Sendable)?, output: (any Sendable)?,
    ending: FlowEnding?
  ) {
    self.kind = kind
    self.run = run
    self.attempt = attempt
    self.item = item?.index
    itemValue = item?.value
    self.output = output
    self.ending = ending
  }

  var undone: UndoneItem? { kind == .undo ? itemValue.map { ($0, output) } : nil }
}
