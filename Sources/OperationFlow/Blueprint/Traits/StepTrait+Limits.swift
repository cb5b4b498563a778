// Steps that contain others have no limiter of their own: while they waited for what is in them, they would keep others
// from it.

extension StepTrait where Work: FlowStep.LeafWork {
  /// Starts the step's work only with a permit of each limiter; in a group, this holds for each item.
  ///
  /// The permits are kept while the work is running, even if it was abandoned after its time limit. An operation that depends on others first waits for these. Each
  /// attempt takes permits of its own, and a step that waits for one isn't recorded as started. If the run is paused when
  /// its turn comes, it gives the permit to the next one, and asks for another after ``FlowRun/resume()``.
  ///
  /// - Parameter limiters: The limiters, in any order; those of several such traits add up.
  /// - Returns: The trait.
  public static func limited(by limiters: FlowLimiter...) -> Self {
    Self { $0.limit(by: limiters) }
  }
}

extension StepOptions {
  /// The limiters that the step needs permits of; `nil` if there are none.
  var limits: StepLimits? { special?.limits }

  mutating func limit(by limiters: [FlowLimiter]) {
    let all = (limits?.limiters ?? []) + limiters
    guard !all.isEmpty else { return }
    changeSpecial { $0.limits = StepLimits(all) }
  }
}
