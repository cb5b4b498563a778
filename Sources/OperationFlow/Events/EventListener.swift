/// An observer or subscriber, which receives the events from a certain number on.
struct EventListener: Sendable {
  let from: Int
  let target: Target

  enum Target: Sendable {
    case observer(Recorder.Observer)
    case subscriber(id: Int, AsyncStream<FlowEvent>.Continuation)
  }

  func tell(_ event: FlowEvent) {
    switch target {
    case .observer(let observer): observer(event)
    case .subscriber(_, let continuation): continuation.yield(event)
    }
  }

  func end() {
    if case .subscriber(_, let continuation) = target { continuation.finish() }
  }

  func isSubscriber(_ id: Int) -> Bool {
    if case .subscriber(id, _) = target { true } else { false }
  }
}
