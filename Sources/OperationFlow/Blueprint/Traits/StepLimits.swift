/// The limiters of a step, each once, in the same order in all flows, so that no two steps wait for each other's permits.
package final class StepLimits: Sendable {
  package let limiters: [FlowLimiter]
  private let hasClock: Bool

  init(_ limiters: [FlowLimiter]) {
    var seen: Set<Int> = []
    self.limiters = limiters.filter { seen.insert($0.number).inserted }.ordered { $0.number < $1.number }
    hasClock = limiters.contains(where: \.hasClock)
  }

  /// The times on the limiters' clocks, which are users' code and are read outside of locks; empty if none has a clock.
  var times: [Duration] { hasClock ? limiters.map(\.time) : [] }
}
