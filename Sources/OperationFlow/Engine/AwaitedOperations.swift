import Foundation

// An operation may wait for another one that the same run has to start. If that one can never begin any more, the run
// ends it, and so the wait. If it can't begin before the waiting one has ended, the waiting one fails: an operation of
// an `always` step, for example, can't begin before an undo has ended. Checks before a run find most of these cases,
// but not those of operations that are made during the run.
extension RunEngine {
  /// Fails one waiting operation, if all work waits for operations that the run would have to start after it.
  func endStuck() {
    let waiting = state.withLock { $0.mayBeStuck ? $0.waitingOperations : [] }
    let waits = waiting.map { AwaitedOperations(of: $0.operation) }
    let unbegun = waits.map { $0.step(in: blueprint) }
    let stuck = waits.indices.filter { unbegun[$0] != nil || waits[$0].containsItself }
    let stuckIDs = Set(stuck.map { ObjectIdentifier(waiting[$0].operation) })
    // An operation that waits for no stuck one may continue, and then the run may reach what the stuck ones wait for.
    guard let first = stuck.first, waits.allSatisfy({ $0.mayNeverEnd(stuckIDs) }) else { return }
    let ticket = waiting[first].ticket
    let cancellable = state.withLock { state -> Cancellable? in
      guard let claim = state.claims[ticket], claim.stopWaiting() else { return nil }
      state.machine.unpark(ticket)
      return claim.cancellable
    }
    let other = unbegun[first].map { FlowEvent.Source(blueprint.steps[$0].name, step: $0).description }
    cancellable?.endUnstarted(bucket, FlowError.unmeetableDependency(on: other, isItself: other == nil))
  }
}

extension RunState {
  /// The claimed operations; in a run that may be stuck, all of them wait for others.
  var waitingOperations: [(ticket: WorkTicket, operation: FlowOperation)] {
    machine.claims.all.compactMap { ticket, _ in claims[ticket]?.cancellable.operation.map { (ticket, $0) } }
  }
}

/// The operations that another one waits for, directly or through others.
struct AwaitedOperations {
  private let waiting: ObjectIdentifier
  private let all: [Operation]
  private let ids: Set<ObjectIdentifier>

  init(of operation: FlowOperation) {
    waiting = ObjectIdentifier(operation)
    var found: [Operation] = [operation]
    var ids: Set<ObjectIdentifier> = []
    var count = 0
    while count < found.count {
      for other in found[count].dependencies where !other.isFinished && ids.insert(ObjectIdentifier(other)).inserted {
        found.append(other)
      }
      count += 1
    }
    all = found
    self.ids = ids
  }

  var containsItself: Bool { ids.contains(waiting) }

  /// Returns true if the waiting operation is one of these, or waits for one of them.
  func mayNeverEnd(_ stuck: Set<ObjectIdentifier>) -> Bool { stuck.contains(waiting) || !stuck.isDisjoint(with: ids) }

  /// Returns a step of the run whose operation is awaited and has not begun; `nil` if there is none.
  func step(in blueprint: Blueprint) -> Blueprint.StepID? {
    // Most awaited operations are already running, and then there is no need to search the steps.
    guard all.contains(where: { ($0 as? FlowOperation)?.isReserved == true }) else { return nil }
    return blueprint.instanceSteps.first { step in
      blueprint.steps[step].instance?.held.map { ids.contains(ObjectIdentifier($0)) } ?? false
    }
  }
}
