/// Returns a value that its user vouches for, as the predecessor's users always have: two threads don't change a value
/// in the bucket at the same time.
func assumedSendable(_ value: Any) -> any Sendable {
  // `Sendable` has no witness table, so both existentials have the same layout. `as Any` keeps an optional from being
  // taken for the existential itself.
  unsafeBitCast(value as Any, to: (any Sendable).self)
}

/// Returns values that their user vouches for.
func assumedSendable(_ values: [String: Any]) -> [String: any Sendable] {
  values.mapValues { assumedSendable($0) }
}

/// A block that its user vouches for: only the main actor calls it.
struct MainActorBlock<Input>: @unchecked Sendable {
  // Invariant: called on the main actor only.
  private let block: (Input) -> Void

  init(_ block: @escaping (Input) -> Void) { self.block = block }

  @MainActor
  func callAsFunction(_ input: Input) { block(input) }
}
