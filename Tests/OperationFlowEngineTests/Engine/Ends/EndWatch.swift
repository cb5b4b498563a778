import TestSupport

@testable import OperationFlow

/// The observers of one run, and their complaints.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
final class EndWatch: Sendable {
  private struct State: Sendable {
    var complaints: [String] = []
    var observers: [Observer] = []
    var streams: [Observer] = []
    var waiterCount = 0
    var outcomes: [FlowOutcome] = []
    var hasBlock = false
  }

  /// The events that one observer has received.
  final class Observer: Sendable {
    struct State: Sendable {
      var events: [FlowEvent] = []
      var isCalled = false
      var hasEnded = false
    }

    let state = Locked(State())
    var hasEnded: Bool { state.withLock { $0.hasEnded } }
    var events: [FlowEvent] { state.withLock { $0.events } }
  }

  private let scene: EndScene
  private let state = Locked(State())
  let finishCount = Tally()

  init(_ scene: EndScene) { self.scene = scene }

  func complain(_ text: String) { state.withLock { $0.complaints.append(text) } }

  var complaints: [String] { state.withLock { $0.complaints } }
  var outcome: FlowOutcome? { state.withLock { $0.outcomes.first } }
  /// True if the flow has a block for the end.
  var hasBlock: Bool { state.withLock { $0.hasBlock } }
  var isWatched: Bool { state.withLock { $0.waiterCount + $0.observers.count + $0.streams.count > 0 } }

  /// True if all observers have been notified of the end.
  var isOver: Bool {
    state.withLock { state in
      state.outcomes.count == state.waiterCount && (state.observers + state.streams).allSatisfy(\.hasEnded)
    }
  }

  // MARK: Observers

  func observe(_ flow: Flow) {
    let observer = Observer()
    state.withLock { $0.observers.append(observer) }
    let token = scene.token()
    flow.observe { event in
      token.touch()
      self.receive(event, observer)
    }
    guard scene.oneIn(2) else { return }
    let block = scene.token()
    state.withLock { $0.hasBlock = true }
    flow.setDidFinishBlock { _ in
      block.touch()
      self.scene.probe.finish()
      if !observer.hasEnded { self.complain("the block for the end is called before an observer") }
      self.finishCount.add()
    }
  }

  private func receive(_ event: FlowEvent, _ observer: Observer) {
    let complaint = observer.state.withLock { state -> String? in
      let complaint = state.hasEnded ? "\(event.kind) after the end" : state.isCalled ? "two events at once" : nil
      state.isCalled = true
      state.events.append(event)
      return complaint
    }
    if let complaint { complain(complaint) }
    scene.scheduler.point()
    observer.state.withLock { state in
      state.isCalled = false
      if case .flowFinished = event.kind { state.hasEnded = true }
    }
    // Whoever waits for the end has to look again.
    if observer.hasEnded { scene.scheduler.add {} }
  }

  /// Adds a task that reads all events.
  func read(_ run: FlowRun) {
    let observer = Observer()
    state.withLock { $0.streams.append(observer) }
    let events = run.events
    _ = scene.clock.startTask {
      for await event in events { observer.state.withLock { $0.events.append(event) } }
      observer.state.withLock { $0.hasEnded = true }
    }
  }

  /// Adds a task that waits for the outcome.
  func wait(for run: FlowRun) {
    state.withLock { $0.waiterCount += 1 }
    _ = scene.clock.startTask {
      let outcome = await run.outcome
      self.scene.probe.end()
      self.state.withLock { state in
        if !state.observers.allSatisfy(\.hasEnded) { state.complaints.append("an outcome before an observer's end") }
        state.outcomes.append(outcome)
      }
      if run.currentOutcome?.kind != outcome.kind { self.complain("the outcome changes") }
    }
  }

  /// Makes the progress show its state late.
  func follow(_ run: FlowRun) { _ = run.runProgress.follower(orNew: EndFollower(scene, self)) }

  // MARK: After the end

  /// Releases what was received, which has the inputs of items that have failed.
  func forget() { _ = state.withLock { exchange(&$0, with: State()) } }

  /// Complains about what doesn't agree after the end.
  func check(_ kind: EndKind, isCancelled: Bool, timersFired: Bool) {
    let (observers, streams, outcomes) = state.withLock { ($0.observers, $0.streams, $0.outcomes) }
    if Set(outcomes.map(\.kind)).count > 1 { complain("different outcomes") }
    for text in scene.probe.complaints { complain(text) }
    if let open = scene.operations.open.first { complain("\(open) has not finished") }
    if !scene.isFree, scene.clock.waitingCount > 0 { complain("\(scene.clock.waitingCount) timers run") }
    let texts = (observers + streams).map { $0.events.map { "\($0.source) \($0.kind)" } }
    if Set(texts).count > 1 { complain("observers disagree: \(texts)") }
    for observer in observers + streams {
      guard case .flowFinished = observer.events.last?.kind else { return complain("the end is not the last event") }
    }
    guard let outcome = outcomes.first else { return }
    // A deadline is no event.
    if outcome.code != .deadlineExceeded, let complaint = RecordCheck(outcome).complaint { complain(complaint) }
    if let text = texts.first, text != outcome.report.events.map({ "\($0.source) \($0.kind)" }) {
      complain("an observer disagrees with the record")
    }
    let errors = scene.errorCounts
    if outcome.isCancelled, !isCancelled { complain("cancelled by no one") }
    if outcome.isSuccess, errors.counted > 0, kind != .retry { complain("succeeds in spite of an error") }
    if outcome.kind == "failed", errors.all == 0, !timersFired, !kind.mayBeFreed {
      complain("fails without an error: \(outcome.error as Any)")
    }
  }
}

extension EndKind {
  /// True if operations may be freed without having finished, which is an error.
  fileprivate var mayBeFreed: Bool { self == .object || self == .factory || self == .dependency }
}

extension FlowOutcome {
  fileprivate var kind: String {
    switch self {
    case .succeeded: "succeeded"
    case .failed: "failed"
    case .cancelled: "cancelled"
    }
  }
}

/// A follower of a run's progress that shows each state late.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
private final class EndFollower: RunProgress.Follower {
  private let scene: EndScene
  private let watch: EndWatch
  private let token: Token
  private let state = Locked((last: Int64(0), applied: 0))

  init(_ scene: EndScene, _ watch: EndWatch) {
    self.scene = scene
    self.watch = watch
    token = scene.token()
  }

  func moved(to count: RunProgress.Count) {
    guard case .millionths(let count) = count else { return }
    let isBack = state.withLock { state in
      defer { state.last = max(state.last, count) }
      return count < state.last
    }
    if isBack { watch.complain("the progress decreases") }
  }

  func apply() { scene.scheduler.point() }

  func whenApplied(_ body: @escaping @Sendable () -> Void) {
    let count = state.withLock { state in
      state.applied += 1
      return state.applied
    }
    if count > 1 { watch.complain("the progress ends twice") }
    scene.scheduler.add(body)
  }

  func noteReturn() { scene.scheduler.point() }
}
