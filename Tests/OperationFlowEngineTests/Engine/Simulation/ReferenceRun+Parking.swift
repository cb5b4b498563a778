@testable import OperationFlow

// Claimed work of the model that can't begin now.
extension ReferenceRun {
  /// Whether a claim is parked, and whether it was resumed; `nil` for what was asked to stop, or has settled.
  func parking(of index: Int) -> (isParked: Bool, isResumed: Bool)? {
    guard !claims[index].isCancelled, !claims[index].hasSettled else { return nil }
    return (parked[index] != nil, parked[index] == true)
  }

  var resumedCount: Int { parked.keys.count { parking(of: $0)?.isResumed == true } }

  /// Parks a claim; false if it is to be settled instead.
  mutating func park(_ index: Int) -> Bool {
    guard let parking = parking(of: index) else { return false }
    if !parking.isParked { parked[index] = false }
    return true
  }

  mutating func resume(_ index: Int) {
    if parking(of: index)?.isParked == true { parked[index] = true }
  }

  /// Takes what was claimed again; false if that may not be claimed now.
  mutating func claimAgain(_ index: Int, _ work: RunWork, attempt: Int) -> Bool {
    guard !holdsUserWork, parking(of: index)?.isResumed == true else { return false }
    parked[index] = nil
    return claims[index].work == work && claims[index].attempt == attempt
  }
}
