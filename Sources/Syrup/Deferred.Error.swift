extension Deferred {
  /// An error that Syrup declared and never threw, for code that checks for it.
  public enum Error: Swift.Error {
    /// Several operations failed.
    case underlyingErrors([any Swift.Error])
  }
}
