@testable import OperationFlow

/// Drives one simulation to its end with inputs that it makes up, and keeps them.
struct SimulatedScheduler: Sendable {
  private var random: SeededGenerator
  /// How many of 16 inputs settle something rather than claim.
  private let settlingShare: UInt64
  /// One input in so many cancels, or pauses or resumes; 0 for none.
  private let cancelRarity: UInt64
  private let pauseRarity: UInt64
  /// Whether what was claimed last settles first, or what was claimed first does; else any.
  private let order: UInt64
  private(set) var inputs: [SimulatedInput] = []

  /// More inputs than any of the flows can need.
  static let limit = 20_000

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
    let bits = random.next()
    settlingShare = 1 + bits % 14
    cancelRarity = [0, 0, 10, 100][Int(bits >> 8 & 3)]
    pauseRarity = [0, 0, 5, 40][Int(bits >> 16 & 3)]
    order = bits >> 24 & 3
  }

  /// What goes wrong on the way; `nil` where nothing does.
  mutating func drive(_ simulation: inout Simulation) -> String? {
    var beginning = [SimulatedInput.begin]
    while random.oneIn(8) {
      beginning.insert([.pause, .resume, .cancel, .refuse, .claim][random.below(5)], at: 0)
    }
    for input in beginning {
      if let complaint = apply(input, to: &simulation) { return complaint }
    }
    while !simulation.isOver {
      guard inputs.count < Self.limit, let input = next(simulation) else { return "never ends" }
      if let complaint = apply(input, to: &simulation) { return complaint }
    }
    for input: SimulatedInput in [.claim, .cancel, .begin, .pause, .claim, .resume] {
      if let complaint = apply(input, to: &simulation) { return complaint }
    }
    return nil
  }

  private mutating func apply(_ input: SimulatedInput, to simulation: inout Simulation) -> String? {
    inputs.append(input)
    return simulation.apply(input) ?? (inputs.count % 8 == 0 ? simulation.checkClaimable() : nil)
  }

  private mutating func next(_ simulation: Simulation) -> SimulatedInput? {
    let bits = random.next()
    if cancelRarity > 0, bits & 0xFFFF % cancelRarity == 0 { return .cancel }
    if pauseRarity > 0, bits >> 16 & 0xFFFF % pauseRarity == 0 { return simulation.isPaused ? .resume : .pause }
    // What has no effect, or should have none.
    if bits >> 32 & 63 == 0 { return bits >> 38 & 3 == 0 ? .begin : .claim }
    let running = simulation.running
    let isClaimable = simulation.reference.claimableCount > 0
    if isClaimable, running.isEmpty || bits >> 40 & 15 >= settlingShare { return .claim }
    guard !running.isEmpty else { return simulation.isPaused ? .resume : nil }
    let place =
      switch order {
      case 0: running.count - 1
      case 1: 0
      default: Int(bits >> 44) % running.count
      }
    return .settle(running[place].index)
  }
}
