import OperationFlow

/// The plan of a soak's faults: the same for the same seed, file and attempt, in whatever order requests arrive.
struct FaultPlan: Hashable, Sendable {
  let seed: UInt64

  /// One planned fault, and a number from 0 up to 1 that decides its details, such as where a connection is cut.
  struct Planned: Hashable, Sendable {
    let fault: SoakFault
    let detail: Double
  }

  /// Returns the fault of an attempt at a file.
  ///
  /// - Parameters:
  ///   - file: The file's name.
  ///   - attempt: The number of the file's request, from 1.
  /// - Returns: The fault; nil if the request meets none.
  func fault(for file: String, attempt: Int) -> Planned? {
    if refuses(file) { return Planned(fault: .refusal, detail: 0) }
    var generator = generator(for: file, attempt: attempt)
    var draw = generator.next() % 1_000
    let detail = Double(generator.next() % 1_000) / 1_000
    for fault in SoakFault.allCases where fault != .refusal {
      if draw < fault.share { return Planned(fault: fault, detail: detail) }
      draw -= fault.share
    }
    return nil
  }

  /// Returns true if a file is refused for good, at every attempt.
  func refuses(_ file: String) -> Bool {
    // Attempts are counted from 1, so no attempt has these random numbers.
    var generator = generator(for: file, attempt: 0)
    return generator.next() % 1_000 < SoakFault.refusal.share
  }

  /// Counts the files that meet each kind of fault at their first attempt.
  func firstFaults(of files: [String]) -> [SoakFault: Int] {
    files.reduce(into: [:]) { counts, file in
      if let planned = fault(for: file, attempt: 1) { counts[planned.fault, default: 0] += 1 }
    }
  }

  private func generator(for file: String, attempt: Int) -> SplitMix {
    // FNV-1a by Fowler, Noll and Vo. `Hasher` would return other numbers in every process.
    let hash = file.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    var mixed = SplitMix(seed: seed ^ hash)
    return SplitMix(seed: mixed.next() &+ UInt64(attempt))
  }
}
