/// What a run is for that performs one step because another engine has asked for it.
struct RunTask: Sendable {
  /// What identifies the other engine's run.
  let run: String
  /// The number of the attempt, counted from 1.
  let attempt: Int
  /// The index of the group's item, counted from 0.
  var item: Int?
  /// Whether the step is undone.
  var isUndo = false
  /// How the other engine's run has ended so far.
  var ending: FlowEnding?
  /// The item that is being undone.
  var undone: UndoneItem?
}
