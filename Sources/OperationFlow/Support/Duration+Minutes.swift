extension Duration {
  /// A number of minutes, which the standard library has no name for.
  ///
  /// - Parameter minutes: The number.
  /// - Returns: The duration, of 60 seconds for each minute.
  public static func minutes<Number: BinaryInteger>(_ minutes: Number) -> Duration { .seconds(minutes) * 60 }
}
