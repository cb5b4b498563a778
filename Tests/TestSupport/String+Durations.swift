extension String {
  /// Returns the text without its durations, which differ from run to run, and without what matches `words` before
  /// them.
  package func withoutDurations(behind words: String) -> String {
    // On a busy machine a test can need minutes.
    let duration = #"(?:\d+ h \d+ min|\d+ h|\d+ min \d+ s|\d+ min|[\d.]+ (?:µs|ms|s))"#
    guard let pattern = try? Regex("(?:\(words))\(duration)(?![^,: ])") else { return "no pattern: \(words)" }
    return replacing(pattern, with: "")
  }
}
