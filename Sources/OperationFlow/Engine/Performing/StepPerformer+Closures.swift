// Closures: synchronous ones run on the calling thread, asynchronous ones in a task.
extension StepPerformer {
  /// Runs a closure on this thread; it needs no operation, because nothing could cancel it.
  func run(_ context: FlowContext, hasStarted: Bool, _ body: (FlowContext) throws -> (any Sendable)?) -> RunClaim? {
    guard hasStarted || engine.willStart(context.ticket, context.source) else {
      return engine.complete(context.ticket, context.source, .cancelled, lane: .goesOn)
    }
    do {
      let output = try engine.calling(context.ticket) { try body(context) }
      return engine.complete(context.ticket, context.source, .succeeded, output: output, lane: .goesOn)
    } catch {
      return engine.complete(context.ticket, context.source, Settlement(error), lane: .goesOn)
    }
  }

  /// Lets the lane await a closure, or a new one if this lane isn't a task.
  func awaitEnd(_ work: AwaitedWork, _ context: FlowContext, hasStarted: Bool) -> RunClaim? {
    guard hasStarted || engine.willStart(context.ticket, context.source) else {
      return engine.complete(context.ticket, context.source, .cancelled, lane: .goesOn)
    }
    engine.awaitEnd(of: work, in: lane)
    return nil
  }
}
