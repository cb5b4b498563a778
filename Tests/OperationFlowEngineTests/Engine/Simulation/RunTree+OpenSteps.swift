@testable import OperationFlow

extension RunTree {
  /// The steps that have begun and not ended, and that no claimed work ends, the innermost first.
  var openSteps: [Blueprint.StepID] { OpenSteps(scopes, attempts).all.map(\.id) }
}
