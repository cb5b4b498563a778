extension StepTrait where Work: FlowStep.LeafWork {
  /// Starts the step's work only with a permit of each limiter; in a group, this holds for each item.
  ///
  /// The permits are kept while the work is running, even if it was abandoned. Each attempt takes permits of its own, and
  /// isn't recorded as started while it waits for one. If the run is paused then, the permit goes to the next one.
  ///
  /// - Parameter limiters: The limiters, in any order; those of several such traits add up.
  /// - Returns: The trait.
  public static func limited(by limiters: FlowLimiter...) -> Self { Self { $0.limit(by: limiters) } }
}
