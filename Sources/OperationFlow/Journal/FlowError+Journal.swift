import Foundation

extension FlowError.Code {
  /// Another call or another process holds the journal of a durable run.
  public static let runInUse = Self("runInUse")
  /// The journal of a durable run is damaged, or has a format of a later version.
  public static let unreadableJournal = Self("unreadableJournal")
  /// A store could not save, load or remove something, such as the journal of a run or the step of a progression.
  public static let storeFailed = Self("storeFailed")
  /// A durable run can't be resumed with a flow of another shape than the one that began it.
  public static let changedFlow = Self("changedFlow")
  /// A durable run can't store a value, such as one whose type isn't `Codable`.
  public static let valueNotStorable = Self("valueNotStorable")
}

extension FlowError {
  /// The identifier of a run in a message.
  static func shown(_ id: String) -> String { "\"" + ValueText.name(id) + "\"" }

  /// A journal that is held; `holder` says by whom.
  static func runInUse(_ id: String, by holder: String) -> FlowError {
    FlowError(
      .runInUse, "the run \(shown(id)) is in use by \(holder)",
      remedy: "Wait until it has ended there, or give this run another id.")
  }

  static func closedJournal(_ id: String) -> FlowError {
    FlowError(
      .storeFailed, "the journal of the run \(shown(id)) is closed",
      remedy: "Open it again with openJournal(of:) before you use it.")
  }

  static func invalidReplacement(_ id: String, _ count: Int, of all: Int) -> FlowError {
    FlowError(
      .storeFailed, "the first \(count) entries of the journal of the run \(shown(id)) can't be replaced: it has \(all)",
      remedy: "Give replaceEntries(first:with:) a count from 0 to entryCount.")
  }
}
