import Foundation
import OperationFlow

/// Runs that are under way.
extension FlowSupervisor {
  /// Looks at a run that is to continue, and opens it, unless there is no reason to, or the supervisor stops.
  func resume(_ id: String) async {
    let (store, names) = (store, flows.map(\.name))
    let found: FoundRun
    do { found = try await FileWork.perform { FoundRun(id, in: store, names) } } catch {
      return fail(id, nil, error)
    }
    let beginning: FoundRun.Beginning
    switch state.withLock({ [now = dates.now.date] in $0.resolve(found, id, at: now) }) {
    case .opens(let found): beginning = found
    case .isOver(let waiter):
      waiter?.resume()
      return wakeUp()
    }
    guard let flow = beginning.flow else { return fail(id, nil, FlowError.unknownFlow(beginning.flowName, of: id)) }
    do {
      switch try await open(id, flow, [:]) {
      case .ended(let outcome): report(id, outcome, begun: beginning.date)
      case .underWay(let run, let journal):
        carry(id, flow, SupervisedRun(run, journal, begun: beginning.date, values(flow, given: [:])))
      }
    } catch { fail(id, flow, error) }
  }

  func open(_ id: String, _ number: Int, _ given: [String: any Sendable]) async throws -> DurableOpening.Opened {
    let flow = flows[number]
    let passed = data.merging(given) { $1 }
    let opening = DurableOpening(
      flow: flow, launch: flow.makeLaunch(), id: id, store: store, data: flow.startingData.merging(passed),
      given: passed,
      durability: durability, sealing: sealing, omitting: omitting, acceptsChanges: false)
    opening.launch.drivenClock?.hold(true)
    defer { opening.launch.drivenClock?.hold(false) }
    var isNew = false
    return try await opening.open(&isNew)
  }

  /// Returns the names of the values that a run of a flow is given with each resume, and of the others.
  func values(_ flow: Int, given: [String: any Sendable]) -> SupervisedRun.Values {
    let again = Set(data.keys).union(flows[flow].startingData.values.keys).subtracting(given.keys)
    return SupervisedRun.Values(again: again, once: Set(given.keys), omitted: omitting)
  }

  /// Adds an opened run, and awaits its end or its suspension.
  func carry(_ id: String, _ flow: Int, _ supervised: SupervisedRun) {
    let mustStop = state.withLock { state in
      state.open(id, supervised)
      return state.stops
    }
    supervised.room?.onWait { [weak self] in self?.wakeUp() }
    wakeUp()
    if mustStop { supervised.stop() }
    Task { [self] in
      let outcome = await supervised.run.outcome
      // A run without an end in its journal isn't over. Someone may have to repair the store or to change the flow
      // first.
      if let failure = supervised.journal.endingFailure { return fail(id, flow, failure) }
      guard supervised.journal.isSuspended else { return report(id, outcome, begun: supervised.begun) }
      // A message that was sent at the last moment has rung the bell before the run was suspended.
      let (store, rest) = (store, supervised.rest)
      do {
        let count = try await FileWork.perform { try FoundRun.messageCount(of: id, in: store) }
        let hasMore = rest.map { $0.messageCount != count } ?? false
        state.withLock { [now = dates.now.date] in $0.rest(id, rest, hasMore: hasMore, at: now) }?.resume()
        wakeUp()
      } catch { fail(id, flow, error) }
    }
  }

  /// Calls the listener for an end, and records that it has returned.
  private func report(_ id: String, _ outcome: FlowOutcome, begun: Date?) {
    state.withLock { $0.counts.add(outcome) }
    whenEnded(id, outcome)
    state.withLock { $0.reported(id, begun: begun) }?.resume()
    wakeUp()
  }

  private func fail(_ id: String, _ flow: Int?, _ error: any Error) {
    let error = FlowError.storeError(error)
    let left = FlowUnfinishedRun(
      id: id, flowName: flow.map { flows[$0].name } ?? "", since: .distantPast, settledStepCount: 0,
      settledItemCount: 0, error: error)
    state.withLock { [now = dates.now.date] in $0.fail(id, left, at: now) }?.resume()
    wakeUp()
  }

  /// Leaves all runs to be resumed, and returns when all work in progress has settled.
  func putAllAway() async {
    let running = state.withLock { state in
      state.phase = .stops
      return state.running.values.compactMap(\.run)
    }
    for run in running { run.stop() }
    await withCheckedContinuation { continuation in
      let isDone = state.withLock { state in
        if !state.running.isEmpty { state.whenStopped = continuation }
        return state.running.isEmpty
      }
      if isDone { continuation.resume() }
    }
  }
}
