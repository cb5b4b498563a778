import OperationFlow

/// The numbers of durations in fixed ranges.
///
/// All histograms have the same ranges, so you can add one to another.
public struct FlowHistogram: Sendable, Hashable {
  /// The upper bounds of all ranges except the last, which has none.
  public static let bounds: [Duration] = [
    .milliseconds(1), .milliseconds(5), .milliseconds(10), .milliseconds(25), .milliseconds(50), .milliseconds(100),
    .milliseconds(250), .milliseconds(500), .seconds(1), .milliseconds(2_500), .seconds(5), .seconds(10), .seconds(30),
    .seconds(60), .seconds(300), .seconds(1_800),
  ]

  /// The bounds in microseconds.
  private static let microseconds = bounds.map(\.microsecondCount)

  /// The number of durations in each range; a duration that equals a bound is in the range below it.
  public private(set) var counts = [Int](repeating: 0, count: bounds.count + 1)
  private var total: Int64 = 0

  /// The number of all durations.
  public var count: Int { counts.reduce(0, +) }
  /// The sum of the durations, each rounded to microseconds.
  public var sum: Duration { .microseconds(total) }

  /// Creates an empty histogram.
  public init() {}

  /// Adds a duration; a negative one counts as zero.
  ///
  /// - Parameter duration: The duration.
  public mutating func add(_ duration: Duration) {
    let time = max(0, duration.microsecondCount)
    counts[Self.microseconds.firstIndex { time <= $0 } ?? Self.microseconds.count] += 1
    addToSum(time)
  }

  /// Adds the durations of another histogram.
  ///
  /// - Parameter other: The histogram to add.
  public mutating func merge(_ other: FlowHistogram) {
    for index in counts.indices { counts[index] += other.counts[index] }
    addToSum(other.total)
  }

  /// Adds to the sum, which stays at the largest number instead of overflowing.
  private mutating func addToSum(_ time: Int64) {
    let (sum, isTooLarge) = total.addingReportingOverflow(time)
    total = isTooLarge ? .max : sum
  }
}
