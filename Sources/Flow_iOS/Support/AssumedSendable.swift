/// Returns a value that counts as sendable, as all values did in Flow-iOS.
///
/// Its user guarantees that two threads don't change a value in the bucket at the same time.
func assumedSendable(_ value: Any) -> any Sendable {
  // `Sendable` has no witness table, so both existentials have the same layout. Without `as Any`, an optional would be
  // mistaken for the existential itself.
  unsafeBitCast(value as Any, to: (any Sendable).self)
}

/// Returns values that count as sendable, which their user guarantees.
func assumedSendable(_ values: [String: Any]) -> [String: any Sendable] {
  values.mapValues { assumedSendable($0) }
}

/// A block that counts as sendable, because only the main actor calls it.
struct MainActorBlock<Input>: @unchecked Sendable {
  // Invariant: the block is called only on the main actor.
  private let block: (Input) -> Void

  init(_ block: @escaping (Input) -> Void) { self.block = block }

  @MainActor
  func callAsFunction(_ input: Input) { block(input) }
}
