@testable import OperationFlow

/// What a run may do, step by step: a plain model that the state machine is compared with after each input.
///
/// Where the machine keeps phases and a stack of blocks, it keeps a place in a path that was found beforehand.
struct ReferenceRun: Sendable {
  /// How the run ends, and which claim has decided it.
  struct Ending: Sendable, Hashable {
    enum Kind: Sendable { case succeeded, failed, cancelled }
    let kind: Kind
    var claim: Int?
  }

  /// The items of the group that the run is at.
  private struct Items: Sendable {
    let group: SimulatedFlow.Group
    var came = 0
    var started = 0
    var ended = 0
    var failed = 0
    var areAllThere = false
    var isPulling = false

    var startable: Int { min(group.width - (started - ended), came - started) }
    var canPull: Bool { !areAllThere && !isPulling && came - started < group.width - (started - ended) }
    var areDone: Bool { areAllThere && ended == came }
  }

  private let path: ReferencePath
  /// Where the run stands in the path, and whether the work there is claimed.
  private var place = 0
  private var isClaimed = false
  private var items: Items?
  private(set) var hasBegun = false
  private(set) var hasEnded = false
  private(set) var runningCount = 0
  private(set) var stepCount = 0
  private(set) var ending: Ending?
  /// The flows that are steps, whose end has neither begun nor been given up; the innermost last.
  private(set) var openFlows: [Int] = []
  var isPaused = false

  init(_ path: ReferencePath) { self.path = path }

  var claimableCount: Int {
    guard hasBegun, !hasEnded else { return 0 }
    if ending != nil { return runningCount == 0 ? 1 : 0 }
    if let items { return isPaused ? 0 : items.startable + (items.canPull ? 1 : 0) }
    return isClaimed || (isPaused && isUsersWork) ? 0 : 1
  }

  /// Whether the work at the place is, or calls, what a user has written, so that a pause holds it back.
  private var isUsersWork: Bool {
    switch path.works[place] {
    case .step, .plan: true
    default: false
    }
  }

  /// Whether the pull that is under way finds an item.
  var hasNextItem: Bool { items.map { $0.came < $0.group.items.count } ?? false }

  /// Whether the progress may not go back here.
  var isSteady: Bool { ending == nil || ending?.kind == .succeeded }

  // MARK: Inputs

  mutating func begin() {
    guard !hasBegun else { return }
    hasBegun = true
    decideAtEnd()
  }

  mutating func refuse() {
    if !hasBegun { ending = Ending(kind: .failed) }
  }

  /// Whether what runs is to be cancelled.
  mutating func cancel() -> Bool {
    guard ending == nil else { return false }
    ending = Ending(kind: .cancelled)
    return hasBegun
  }

  /// What is to be claimed next; `nil` where nothing is.
  mutating func claim() -> RunWork? {
    guard claimableCount > 0 else { return nil }
    runningCount += 1
    guard ending == nil else { return .finish }
    if items != nil { return claimItem() }
    isClaimed = true
    let work = path.works[place]
    switch work {
    case .step, .choose, .enter, .plan: stepCount += 1
    case .leave: openFlows.removeLast()
    default: break
    }
    return work
  }

  private mutating func claimItem() -> RunWork? {
    guard case .plan(let step) = path.works[place], let startable = items?.startable else { return nil }
    guard startable > 0 else {
      items?.isPulling = true
      return .pull(step)
    }
    defer { items?.started += 1 }
    return items.map { .item(step, index: $0.started) }
  }

  /// Takes how a claim has settled, and says what is to be done about what else runs.
  mutating func settle(_ work: RunWork, claim: Int, _ end: SimulatedFlow.End) -> RunStateMachine.Reaction {
    runningCount -= 1
    if work == .finish {
      hasEnded = true
      return .none
    }
    guard ending == nil else { return .none }
    switch work {
    case .pull where end == .success:
      items?.isPulling = false
      if let items, items.came < items.group.items.count { self.items?.came += 1 } else { items?.areAllThere = true }
      goOnWhereItemsAreDone()
      return .none
    case .item:
      items?.ended += 1
      if end != .success { items?.failed += 1 }
      if end != .success, let items, items.failed > items.group.tolerance {
        decide(end, claim)
        return .stopGroup
      }
      goOnWhereItemsAreDone()
      return .none
    default:
      isClaimed = false
      if end != .success {
        decide(end, claim)
        if case .pull = work { return .cancelRunning }
        return .none
      }
      settled(work)
      return .none
    }
  }

  private mutating func settled(_ work: RunWork) {
    switch work {
    case .plan(let step):
      guard let group = path.groups[step] else { return }
      var items = Items(group: group)
      if !group.isStreamed { (items.came, items.areAllThere) = (group.items.count, true) }
      self.items = items
      return goOnWhereItemsAreDone()
    case .enter(let step): openFlows.append(step)
    default: break
    }
    place += 1
    decideAtEnd()
  }

  private mutating func goOnWhereItemsAreDone() {
    guard let items, items.areDone else { return }
    self.items = nil
    place += 1
  }

  private mutating func decideAtEnd() {
    if ending == nil, path.works[place] == .finish { ending = Ending(kind: .succeeded) }
  }

  private mutating func decide(_ end: SimulatedFlow.End, _ claim: Int) {
    ending = end == .failure ? Ending(kind: .failed, claim: claim) : Ending(kind: .cancelled)
  }
}
