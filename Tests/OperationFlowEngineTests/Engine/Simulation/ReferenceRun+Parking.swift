@testable import OperationFlow

// Claimed work of the model that can't begin now.
extension ReferenceRun {
  /// Returns the parking of a claim; `nil` if the claim was cancelled or has settled.
  func parking(of index: Int) -> (isParked: Bool, isResumed: Bool)? {
    guard !claims[index].isCancelled, !claims[index].hasSettled else { return nil }
    return (parked[index] != nil, parked[index] == true)
  }

  var resumedCount: Int { parked.keys.count { parking(of: $0)?.isResumed == true } }

  /// Parks a claim; returns false if the claim must be settled instead.
  mutating func park(_ index: Int) -> Bool {
    guard let parking = parking(of: index) else { return false }
    if !parking.isParked { parked[index] = false }
    return true
  }

  mutating func resume(_ index: Int) {
    if parking(of: index)?.isParked == true { parked[index] = true }
  }

  /// Claims parked work again; returns false if the work may not be claimed now.
  mutating func claimAgain(_ index: Int, _ work: RunWork, attempt: Int) -> Bool {
    guard !holdsUserWork, parking(of: index)?.isResumed == true else { return false }
    parked[index] = nil
    return claims[index].work == work && claims[index].attempt == attempt
  }
}
