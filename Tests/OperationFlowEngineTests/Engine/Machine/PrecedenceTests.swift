import TestSupport
import Testing

@testable import OperationFlow

/// Compares the steps that the state machine offers first with a plain list of the steps that are ready.
@Suite(.watched) struct PrecedenceTests {
  private struct Feature: StepFeature { let precedence: Int }

  /// A feature that counts the reads of its precedence.
  private struct CountedFeature: StepFeature {
    let asked: Tally

    var precedence: Int {
      asked.add()
      return 1
    }
  }

  @Test func `what is claimed is always among the highest that could be`() async {
    await forEachSeed(count: 300) { seed in
      var generator = SeededGenerator(seed: seed)
      let chains = (0..<Int.random(in: 1...5, using: &generator)).map { _ in
        (0..<Int.random(in: 1...4, using: &generator)).map { _ in Int.random(in: -2...2, using: &generator) }
      }
      var machine = RunStateMachine(Self.blueprint(chains))
      _ = machine.begin()
      return Self.complaint(about: &machine, chains, &generator)
    }
  }

  @Test func `what could be claimed is looked at once, however much it is`() {
    let (asked, count) = (Tally(), 2_000)
    let flow = Flow().parallel { branches in
      for index in 0..<count {
        branches.branch("\(index)") { branch in
          branch.add("step", StepTrait { $0.set(CountedFeature(asked: asked)) }) { _ in }
        }
      }
    }
    var machine = RunStateMachine(flow.makeLaunch().blueprint)
    machine.begin()
    if let parallel = machine.claim() { _ = machine.settle(parallel.ticket, .entered) }
    let before = asked.count
    var claimedCount = 0
    while machine.claim() != nil { claimedCount += 1 }
    #expect(claimedCount == count)
    #expect(asked.count - before <= 2 * count)
  }

  private static func blueprint(_ chains: [[Int]]) -> Blueprint {
    var builder = BlueprintBuilder()
    let inner = chains.map { chain -> Blueprint in
      var builder = BlueprintBuilder()
      for precedence in chain {
        var step = Blueprint.Step(name: "\(precedence)", kind: .closure(.sync { _ in }))
        step.changeOptions { $0.set(Feature(precedence: precedence)) }
        builder.add(step, condition: nil)
      }
      return builder.finish()
    }
    builder.addParallel("parallel", inner.enumerated().map { ("\($0)", InnerFlow($1)) })
    return builder.finish()
  }

  /// Claims and settles in random order; the chains show which steps are ready.
  private static func complaint(
    about machine: inout RunStateMachine, _ chains: [[Int]], _ generator: inout SeededGenerator
  ) -> String? {
    var (next, count) = (Array(repeating: 0, count: chains.count), 0)
    var claimed: [(ticket: WorkTicket, chain: Int?)] = []
    var ready = Set(chains.indices)
    let shared = machine.shared
    while true {
      if !claimed.isEmpty, Bool.random(using: &generator) {
        let (ticket, chain) = claimed.remove(at: Int.random(in: claimed.indices, using: &generator))
        _ = machine.settle(ticket, .settled(.succeeded))
        if let chain, next[chain] < chains[chain].count { ready.insert(chain) }
        continue
      }
      guard let offer = machine.claim() else {
        if claimed.isEmpty { break }
        continue
      }
      guard offer.work.kind == .step, let step = offer.work.step else {
        _ = machine.settle(offer.ticket, offer.work.beginsStep ? .entered : .settled(.succeeded))
        continue
      }
      let precedence = shared.value.precedence(of: step)
      let highest = ready.map { chains[$0][next[$0]] }.max()
      guard precedence == highest else { return "claimed \(precedence), and \(String(describing: highest)) was ready" }
      // The offer doesn't contain the chain, so it is found by the precedence and the step.
      let chain = ready.sorted().first { chain in
        chains[chain][next[chain]] == precedence && Self.step(chain, next[chain], chains) == step
      }
      guard let chain else { return "claimed the step \(step), which isn't next" }
      next[chain] += 1
      count += 1
      ready.remove(chain)
      claimed.append((offer.ticket, chain))
    }
    return machine.hasEnded && count == chains.joined().count ? nil : "\(count) steps were claimed"
  }

  /// Returns the index of a step in the blueprint, in which the branches are first.
  private static func step(_ chain: Int, _ index: Int, _ chains: [[Int]]) -> Int {
    chains[..<chain].joined().count + index
  }
}
