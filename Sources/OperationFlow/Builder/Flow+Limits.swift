extension Flow {
  /// Limits how long a whole run may take.
  ///
  /// When the time is over, everything that runs is cancelled, and the run fails with the code `deadlineExceeded`. The time
  /// begins with the first step, and goes on while the run is paused.
  ///
  /// - Parameter time: The time on the run's clock; the flow is refused if it isn't longer than zero.
  /// - Returns: The flow.
  @discardableResult
  public func deadline(_ time: Duration) -> Flow {
    changing { $0.limits.deadline = time }
  }

  /// Records a warning if nothing happens in a run for a time, with what it waits for.
  ///
  /// The warning comes once, and again only after something else has happened.
  ///
  /// - Parameter time: The time on the run's clock; the flow is refused if it isn't longer than zero.
  /// - Returns: The flow.
  @discardableResult
  public func quietWarning(after time: Duration) -> Flow {
    changing { $0.limits.quietTime = time }
  }

  /// Limits how many attempts of a whole run may follow failures, so that a server that is down isn't flooded.
  ///
  /// A step or an item that fails when the budget is spent isn't tried again, and the record has a warning.
  ///
  /// - Parameter budget: How many attempts may follow failures, as a number or as a share of all attempts.
  /// - Returns: The flow.
  @discardableResult
  public func retryBudget(_ budget: FlowRetryBudget) -> Flow {
    changing { $0.limits.retryBudget = budget }
  }

  /// Makes the random part of delays the same in all later runs.
  ///
  /// - Parameter seed: Any number; each step, item and attempt gets a part of chance of its own from it.
  /// - Returns: The flow.
  @discardableResult
  public func randomSeed(_ seed: UInt64) -> Flow {
    changing { $0.limits.seed = seed }
  }
}
