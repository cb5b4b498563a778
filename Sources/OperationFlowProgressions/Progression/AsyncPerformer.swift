/// Runs a closure, on a queue of its choice, such as `{ queue.async(execute: $0) }`.
public typealias AsyncPerformer = @Sendable (_ work: @escaping @Sendable () -> Void) -> Void
