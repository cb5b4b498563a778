@testable import OperationFlow

/// A driver that applies random inputs to one simulation until its end, and records them.
struct SimulatedScheduler: Sendable {
  private var random: SeededGenerator
  /// The number of inputs out of 16 that settle work instead of claiming it.
  private let settlingShare: UInt64
  /// One input in this many cancels, pauses or resumes, or is an unexpected result; 0 for none.
  private let cancelRarity: UInt64
  private let pauseRarity: UInt64
  private let misfitRarity: UInt64
  /// One input in this many parks a claim; 0 for none.
  private let parkRarity: UInt64
  /// The number of inputs out of 16 that advance the time or fire a timer, if there is one.
  private let timeShare: UInt64
  /// The claim that settles next: 0 for the last claim, 1 for the first, else any.
  private let order: UInt64
  /// The index of the input, in each 64 inputs, after which the check is thorough.
  private let lookPlace: Int
  private(set) var inputs: [SimulatedInput] = []

  /// A limit that no flow reaches unless it never ends.
  static let limit = 20_000

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
    let bits = random.next()
    settlingShare = 1 + bits % 14
    cancelRarity = [0, 0, 10, 100][Int(bits >> 8 & 3)]
    pauseRarity = [0, 0, 5, 40][Int(bits >> 16 & 3)]
    order = bits >> 24 & 3
    lookPlace = Int(bits >> 32 & 63)
    misfitRarity = [0, 0, 0, 50][Int(bits >> 28 & 3)]
    timeShare = [0, 1, 4, 12][Int(bits >> 30 & 3)]
    parkRarity = [0, 0, 3, 20][Int(bits >> 40 & 3)]
  }

  /// Drives a simulation to its end; returns the first complaint, or `nil`.
  mutating func drive(_ simulation: inout Simulation) -> String? {
    var beginning = [SimulatedInput.begin]
    while random.oneIn(8) {
      beginning.insert([.pause, .resume, .cancel, .refuse, .claim, .advance][random.below(6)], at: 0)
    }
    for input in beginning {
      if let complaint = apply(input, to: &simulation) { return complaint }
    }
    while !simulation.isOver {
      guard inputs.count < Self.limit, let input = next(&simulation) else { return "never ends" }
      if let complaint = apply(input, to: &simulation) { return complaint }
    }
    let last: [SimulatedInput] = [.claim, .cancel, .begin, .settle(0), .pause, .fire(0), .claim, .resume]
    for input in last {
      if let complaint = apply(input, to: &simulation) { return complaint }
    }
    return nil
  }

  private mutating func apply(_ input: SimulatedInput, to simulation: inout Simulation) -> String? {
    inputs.append(input)
    return simulation.apply(input, isThorough: inputs.count & 63 == lookPlace)
  }

  private mutating func next(_ simulation: inout Simulation) -> SimulatedInput? {
    let bits = random.next()
    if cancelRarity > 0, bits & 0xFFFF % cancelRarity == 0 { return .cancel }
    if pauseRarity > 0, bits >> 16 & 0xFFFF % pauseRarity == 0 { return simulation.isPaused ? .resume : .pause }
    // An input that has no effect, or should have none.
    if bits >> 32 & 63 == 0 { return idle(&simulation, bits >> 38) }
    let running = simulation.running
    let isClaimable = simulation.claimableCount > 0
    let isIdle = running.isEmpty && !isClaimable
    if !simulation.timers.isEmpty, isIdle && !simulation.isPaused || bits >> 52 & 15 < timeShare {
      let due = simulation.dueTimers
      return due.isEmpty || bits >> 56 & 3 == 0 ? .advance : .fire(due[Int(bits >> 44) % due.count].index)
    }
    if isClaimable, running.isEmpty || bits >> 40 & 15 >= settlingShare { return .claim }
    guard !running.isEmpty else { return simulation.isPaused ? .resume : nil }
    let place =
      switch order {
      case 0: running.count - 1
      case 1: 0
      default: Int(bits >> 44) % running.count
      }
    let isMisfit = misfitRarity > 0 && bits >> 24 & 0xFFFF % misfitRarity == 0
    if isMisfit, case .settle = simulation.next(for: running[place]) { return .unexpectedResult(running[place].index) }
    if parkRarity > 0, bits >> 12 & 0xFFFF % parkRarity == 0 { return .park(running[place].index) }
    switch simulation.next(for: running[place]) {
    case .settle: break
    case .unpark(let index): return [.unpark(index), .unparkHere(index), .settle(index)][Int(bits >> 20 & 15) % 3]
    case let other: return other
    }
    return bits >> 60 & 1 == 0 ? .settle(running[place].index) : .claimNext(running[place].index)
  }

  private func idle(_ simulation: inout Simulation, _ bits: UInt64) -> SimulatedInput {
    let place = Int(bits >> 4)
    return switch bits & 7 {
    case 0: .begin
    case 1, 2: .settle(simulation.tickets.isEmpty ? 0 : place % simulation.tickets.count)
    case 3, 4: .fire(simulation.timerIDs.isEmpty ? 0 : place % simulation.timerIDs.count)
    default: .claim
    }
  }
}
