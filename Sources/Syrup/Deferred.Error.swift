extension Deferred {
  /// An error that Syrup named and never threw, for code that looks for it.
  public enum Error: Swift.Error {
    /// Several things failed.
    case underlyingErrors([any Swift.Error])
  }
}
