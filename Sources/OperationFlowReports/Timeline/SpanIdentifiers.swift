import OperationFlow

/// The identifiers of a trace and its spans: the run's identifier and hashes of it, the same in every process.
struct SpanIdentifiers {
  /// The identifier of the trace: 32 hexadecimal digits, not all zero.
  let trace: String
  private let seed: UInt64

  init(_ record: FlowRecord) {
    var hash = StableHash()
    if let run = record.runID, run.count == 32, run.allSatisfy({ "0123456789abcdef".contains($0) }) {
      hash.combine(run)
      (seed, trace) = (hash.value, run)
      return
    }
    // A record without an identifier is identified by the beginning of its run.
    hash.combine(record.flowName)
    // Later events don't count: an earlier record of the same run doesn't contain them.
    for event in record.events {
      guard case .flowStarted(let data) = event.kind else { continue }
      hash.combine(event.date.microseconds)
      for item in data {
        hash.combine(item.name)
        hash.combine(item.text)
      }
      break
    }
    seed = hash.value
    trace = Self.hex(StableHash.mixed(seed &+ 1)) + Self.hex(StableHash.mixed(seed &+ 2) | 1)
  }

  /// Returns the identifier of a span: 16 hexadecimal digits, not all zero, and unique except for hash collisions.
  func span(_ subject: Timeline.Span.Subject) -> String {
    var hash = StableHash(seed)
    switch subject {
    case .run: hash.combine(0)
    case .step(let step): hash.combine(1, step)
    case .item(let step, let index): hash.combine(2, step, index)
    case .undo(let step, nil): hash.combine(3, step)
    case .undo(let step, let index?): hash.combine(4, step, index)
    }
    return Self.hex(hash.value == 0 ? 1 : hash.value)
  }

  private static func hex(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

/// A hash that is the same in every process and in every version, unlike `Hasher`.
private struct StableHash {
  private(set) var value: UInt64

  init(_ seed: UInt64 = 0xCBF2_9CE4_8422_2325) { value = seed }

  mutating func combine(_ number: UInt64) { value = Self.mixed(value ^ Self.mixed(number)) &+ 0x9E37_79B9_7F4A_7C15 }

  mutating func combine<Number: FixedWidthInteger & SignedInteger>(_ numbers: Number...) {
    for number in numbers { combine(UInt64(truncatingIfNeeded: number)) }
  }

  mutating func combine(_ text: String) {
    // FNV-1a.
    var sum: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in text.utf8 { sum = (sum ^ UInt64(byte)) &* 0x100_0000_01B3 }
    combine(sum)
  }

  /// Applies the last step of SplitMix64, which spreads every bit.
  static func mixed(_ number: UInt64) -> UInt64 {
    var mixed = number
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
