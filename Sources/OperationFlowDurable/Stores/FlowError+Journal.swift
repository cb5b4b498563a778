import Foundation
import OperationFlow
import OperationFlowStorage

extension FlowError.Code {
  /// Another call or another process has the journal of a durable run open.
  public static let runInUse = Self("runInUse")
  /// The journal of a durable run is damaged, or has a format of a later version.
  public static let unreadableJournal = Self("unreadableJournal")
  /// A durable run can't be resumed with a flow whose shape or name differs from that of the flow that began it.
  public static let changedFlow = Self("changedFlow")
}

extension FlowError {
  /// Returns the identifier of a run as messages show it.
  static func shown(_ id: String) -> String { "\"" + ValueText.name(id) + "\"" }

  // MARK: For stores of your own

  /// Makes the error of a store whose journal is open elsewhere, with the code
  /// ``OperationFlow/FlowError/Code/runInUse``.
  ///
  /// - Parameters:
  ///   - id: The identifier of the run.
  ///   - holder: The process that has the journal open, and since when, such as `process 42 on mini, since 10:15`.
  /// - Returns: The error.
  public static func runInUse(_ id: String, by holder: String) -> FlowError {
    FlowError(
      .runInUse, "the run \(shown(id)) is in use by \(holder)",
      remedy: "Wait until it has ended there, or give this run another id.")
  }

  /// Makes the error of a store that could not save, load or remove something, with the code `storeFailed`.
  ///
  /// - Parameters:
  ///   - problem: The problem, in a sentence without a period, with the names.
  ///   - remedy: The remedy, in a sentence.
  /// - Returns: The error.
  public static func storeFailed(_ problem: String, remedy: String) -> FlowError {
    FlowError(.storeFailed, problem, remedy: remedy)
  }

  /// Makes the error of a store for a journal that is damaged, with the code `unreadableJournal`.
  ///
  /// - Parameters:
  ///   - problem: The problem, in a sentence without a period, with the names.
  ///   - remedy: The remedy, in a sentence.
  /// - Returns: The error.
  public static func unreadableJournal(_ problem: String, remedy: String) -> FlowError {
    FlowError(.unreadableJournal, problem, remedy: remedy)
  }

  // MARK: Stores

  static func unlockableJournal(_ id: String, _ path: String) -> FlowError {
    FlowError(
      .storeFailed, "the journal of the run \(shown(id)) can't be locked: the file system of \(path) has no locks",
      remedy: "Keep journals in a folder on a local disk.")
  }

  static let emptyIdentifier = FlowError(
    .storeFailed, "a durable run has an empty identifier, which can't name a journal",
    remedy: "Give run(id:in:) an id that names this run alone, such as that of the order or the file it is for.")

  static func closedJournal(_ id: String) -> FlowError {
    FlowError(
      .storeFailed, "the journal of the run \(shown(id)) is closed",
      remedy: "Open it again with openJournal(of:) before you use it.")
  }

  static func invalidReplacement(_ id: String, _ count: Int, of all: Int) -> FlowError {
    FlowError(
      .storeFailed,
      "the first \(count) entries of the journal of the run \(shown(id)) can't be replaced: there are \(all)",
      remedy: "Give replaceEntries(first:with:) at most as many as there are.")
  }

  static func tooLargeEntry(_ id: String, _ count: Int) -> FlowError {
    FlowError(
      .storeFailed, "an entry of \(count) bytes is too large for the journal of the run \(shown(id))",
      remedy: "Keep large values in files, and only their paths in the data bucket.")
  }

  // MARK: Files

  /// Returns the error of a fault of the file system, with its remedy; a `FlowError` is returned unchanged.
  static func journalFailed(_ id: String, _ error: any Error) -> FlowError {
    error as? FlowError ?? storeFailed("the journal of the run \(shown(id)) can't be used", error)
  }

  static func unusableFolder(_ folder: String, _ error: any Error) -> FlowError {
    storeFailed("the journals in \(folder) can't be used", error)
  }

  private static func storeFailed(_ problem: String, _ error: any Error) -> FlowError {
    let fault = error as? FileFault
    let remedy =
      switch fault?.code {
      case ENOSPC, EDQUOT: "Free space on its disk, and run the flow again under the same id: it resumes there."
      case EACCES, EPERM, EROFS: "Allow this user to write there, or keep journals in another folder."
      case ENOTDIR, EEXIST: "Keep journals in a folder of their own: this path leads through a file."
      case 0: "Keep journals in a folder of their own, and remove what has the name of one there."
      default: "See to the folder and its disk, and run the flow again under the same id."
      }
    let reason = fault?.description ?? ValueText.describe(error: error)
    return FlowError(.storeFailed, "\(problem): \(reason)", remedy: remedy)
  }

  /// Returns the error of a file that was removed while it was in use, alone or with its folder.
  static func removedJournal(_ id: String, _ path: String) -> FlowError {
    FlowError(
      .storeFailed, "the journal of the run \(shown(id)) was removed while it was in use: \(path)",
      remedy: "Keep journals in a folder that nothing else cleans up, and run the flow again under the same id.")
  }

  static func damagedJournal(_ path: String, at offset: Int, _ fault: String) -> FlowError {
    FlowError(
      .unreadableJournal, "the journal \(path) is damaged at byte \(offset): \(fault)",
      remedy: "Put the file back from a copy, or remove the journal to begin the run anew; the file is untouched.")
  }

  static func newerJournal(_ path: String, at offset: Int, version: UInt32) -> FlowError {
    FlowError(
      .unreadableJournal, "the journal \(path) has the format \(version) at byte \(offset), which isn't known here",
      remedy: "Resume with the version of the library that wrote it, or remove the journal to begin the run anew; "
        + "the file is untouched.")
  }

  static func foreignJournal(_ path: String, of other: String, for id: String) -> FlowError {
    FlowError(
      .unreadableJournal, "the journal \(path) is that of the run \(shown(other)), and not of \(shown(id))",
      remedy: "Give the file back the name that it had, or remove it to begin the run anew.")
  }
}
