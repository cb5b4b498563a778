/// A progression on its way through an asynchronous function.
struct StepCursor<Step: Progression> {
  private(set) var step: Step
  private var taker = StepTaker<Step>()

  init(_ step: Step) { self.step = step }

  /// Goes on to the next step, unless the task is cancelled.
  mutating func advance() async throws {
    try Task.checkCancellation()
    switch try taker.take(&step) {
    case .taken: break
    case .deferred(let deferred): step = try await deferred.value
    case .asynchronous: try await taker.advance(&step)
    }
  }
}
