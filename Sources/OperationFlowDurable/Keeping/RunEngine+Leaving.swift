import Foundation
import OperationFlow

// A run that is left ends only in this process, and is resumed from its journal.
extension RunEngine {
  /// Leaves the run to be resumed, because its decisions can't be stored any longer.
  func keepingDidFail(_ failure: FlowError) { leave { _ in failure } }

  /// Leaves the run to be resumed, because stored entries, messages or values can't be used.
  ///
  /// Later settlements don't count. While the run is being restored, this does nothing: the code that restores it
  /// throws an error instead.
  func leave(_ reason: FlowError, by reader: FlowEvent.Source? = nil, _ journal: RunJournal) {
    leave { standing in
      guard standing.mayBeLeft else { return nil }
      let source = reader ?? source(ofOnly: standing.works.filter { $0.step != nil })
      let path = source.flatMap { paths.path(of: Int(clamping: $0.step)) }
      let located = reason.located(flow: flowName, step: source?.description, path: path)
      journal.leave(because: located)
      return located
    }
  }

  /// Returns the step or item that is running, if it is the only one.
  private func source(ofOnly works: [RunWork]) -> FlowEvent.Source? {
    guard works.count == 1, let work = works.first, let step = work.step else { return nil }
    return FlowEvent.Source(blueprint.name(of: work), step: step, item: work.item)
  }

  /// Suspends a run that only waits, so that it can be resumed later; returns false if the run does anything else.
  ///
  /// `close` is called under the run's lock with the number of claims. It returns true to suspend the run if all of
  /// them wait; later settlements must not be stored then. If `isForced` is true, the number may be `nil`, because
  /// something else is to follow, such as another attempt. Running work is cancelled then, and runs again later.
  func suspend(_ reason: FlowError, inAnyCase isForced: Bool = false, close: (Int?) -> Bool) -> Bool {
    leave(callsDidFinish: false) { standing in
      // A run that is finishing may have stored its end already.
      let count = standing.waitingCount
      return standing.mayBeLeft && (isForced || count != nil) && close(count) ? reason : nil
    }
  }
}

extension FlowError {
  /// A copy with a remedy that describes how the run was left.
  var leavingRun: FlowError {
    advising(
      "The run is left as it was: no step has failed, nothing was undone, and it can be resumed under the same id"
        + (code == .mismatchedData ? ", also by the version of the program that wrote the value." : "."))
  }
}
