import Foundation
import OperationFlow

// A run that ends in this process, and isn't over: it is resumed from its journal.
extension RunEngine {
  /// Ends the run because what it decides can't be kept any longer.
  func keepingDidFail(_ failure: FlowError) { leave { _ in failure } }

  /// Leaves the run to be resumed, because what it was kept with can't be used: nothing that settles from now on counts.
  ///
  /// While the run is restored, an error tells what restores it instead.
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

  /// The step or item that is at work, if it is one alone.
  private func source(ofOnly works: [RunWork]) -> FlowEvent.Source? {
    guard works.count == 1, let work = works.first, let step = work.step else { return nil }
    return FlowEvent.Source(blueprint.name(of: work), step: step, item: work.item)
  }

  /// Ends a run that does nothing but wait, so that it can be resumed later; false if it does something else.
  ///
  /// `close` is called under the run's lock with how much work is under way, and knows whether all of it waits; with `nil` if
  /// anything else is to come, such as another attempt. If it agrees, nothing that settles afterwards may be kept. If it is
  /// forced, what the run does is cancelled, and done again later.
  func putAway(_ reason: FlowError, inAnyCase isForced: Bool = false, close: (Int?) -> Bool) -> Bool {
    leave(callsDidFinish: false) { standing in
      // The end of what is finishing may be kept already.
      let count = standing.waitingCount
      return standing.mayBeLeft && (isForced || count != nil) && close(count) ? reason : nil
    }
  }
}

extension FlowError {
  /// A copy with what has become of the run.
  var leavingRun: FlowError {
    advising(
      "The run is left as it was: no step has failed, nothing was undone, and it can be resumed under the same id"
        + (code == .mismatchedData ? ", also by the version of the program that wrote the value." : "."))
  }
}
