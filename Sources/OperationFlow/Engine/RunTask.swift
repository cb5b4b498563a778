/// What a run is for that performs one step because another engine has asked for it.
///
/// It is an object because hardly any run has one, and all would copy it.
final class RunTask: Sendable {
  /// What identifies the other engine's run.
  let run: String
  /// The number of the attempt, counted from 1.
  let attempt: Int
  /// The index of the group's item, counted from 0.
  let item: Int?
  /// Whether the step is undone.
  let isUndo: Bool
  /// How the other engine's run has ended so far.
  let ending: FlowEnding?
  /// The item that is being undone.
  let undone: UndoneItem?

  init(run: String, attempt: Int, item: Int?, isUndo: Bool, ending: FlowEnding?, undone: UndoneItem?) {
    (self.run, self.attempt, self.item) = (run, attempt, item)
    (self.isUndo, self.ending, self.undone) = (isUndo, ending, undone)
  }
}
