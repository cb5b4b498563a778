extension Duration {
  /// A number of minutes, which the standard library has no name for.
  ///
  /// - Parameter minutes: The number; one that is too large counts as the largest, about 10¹⁷.
  /// - Returns: The duration, of 60 seconds for each minute.
  public static func minutes<Number: BinaryInteger>(_ minutes: Number) -> Duration {
    .seconds(min(max(Int64(clamping: minutes), .min / 60), .max / 60) * 60)
  }
}
