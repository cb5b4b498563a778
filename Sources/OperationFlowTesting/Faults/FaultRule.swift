import OperationFlow

/// A fault, and the work that gets it.
struct FaultRule: Sendable {
  let step: String?
  let items: ClosedRange<Int>?
  let attempts: ClosedRange<Int>?
  let share: Double
  let effect: FlowFaults.Effect
  var error: (any Error)?

  func applies(to work: ProbedWork, seed: UInt64, index: Int) -> Bool {
    if let step, !work.path.isMeant(by: step, name: work.name) { return false }
    if let items, !(work.item.map(items.contains) ?? false) { return false }
    if let attempts, !attempts.contains(work.attempt) { return false }
    return share >= 1 || chance(work, seed: seed, index: index) < share
  }

  /// Returns a number from 0 up to 1 that depends on nothing but the arguments.
  private func chance(_ work: ProbedWork, seed: UInt64, index: Int) -> Double {
    var hash = Self.mixed(seed)
    for byte in work.path.description.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    for number in [index, work.item ?? -1, work.attempt] { hash = Self.mixed(hash ^ UInt64(bitPattern: Int64(number))) }
    return Double(hash >> 11) / Double(UInt64(1) << 53)
  }

  /// The last part of SplitMix64, which spreads similar numbers.
  private static func mixed(_ number: UInt64) -> UInt64 {
    var number = number &+ 0x9e37_79b9_7f4a_7c15
    number = (number ^ (number >> 30)) &* 0xbf58_476d_1ce4_e5b9
    number = (number ^ (number >> 27)) &* 0x94d0_49bb_1331_11eb
    return number ^ (number >> 31)
  }

  /// The problem of the numbers; `nil` if there is none.
  var problem: String? {
    if !(0...1).contains(share) { return "the share of a fault is \(share)" }
    if let attempts, attempts.lowerBound < 1 { return "the attempts of a fault are \(attempts)" }
    if let items, items.lowerBound < 0 { return "the items of a fault are \(items)" }
    if case .delays(let time) = effect, time < .zero { return "the delay of a fault is \(time)" }
    return nil
  }
}
