/// The steps that have begun and not ended, and that no claimed work ends: those with others in them, groups, and steps
/// between two attempts.
struct OpenSteps {
  struct Step {
    let id: Blueprint.StepID
    let scope: ScopeID
    /// Whether all that is within the scope is within the step.
    let holdsScope: Bool
    let depth: Int32
  }

  private let scopes: Slab<RunScope>
  private let attempts: Slab<AttemptScope>

  init(_ scopes: Slab<RunScope>, _ attempts: Slab<AttemptScope>) {
    self.scopes = scopes
    self.attempts = attempts
  }

  /// All of them, the innermost first.
  var all: [Step] {
    var open: [Step] = []
    for (id, scope) in scopes.all {
      func note(_ step: Blueprint.StepID?, holdsScope: Bool) {
        guard let step else { return }
        // What stands in a block is within the step that the block belongs to.
        let depth = 2 * scope.depth + (holdsScope ? 0 : 1)
        open.append(Step(id: step, scope: id, holdsScope: holdsScope, depth: depth))
      }
      switch scope.kind {
      case .block(let block):
        note(block.openStep, holdsScope: false)
        note(block.openHolder, holdsScope: true)
      case .fan(let fan): note(fan.step, holdsScope: true)
      case .attempts(let place, _): note(attempts[place]?.waitingStep, holdsScope: false)
      }
    }
    return open.ordered { ($0.depth, $0.id) > ($1.depth, $1.id) }
  }
}
