import OperationFlow
import TestSupport
import Testing

@Suite(.watched) struct DurationTextTests {
  @Test(arguments: [
    (-5, "0 µs"), (0, "0 µs"), (999, "999 µs"), (1_000, "1 ms"), (1_050, "1.05 ms"), (1_500, "1.5 ms"),
    (12_340, "12.3 ms"), (123_456, "123 ms"), (999_400, "999 ms"), (999_900, "1 s"), (1_000_000, "1 s"),
    (59_940_000, "59.9 s"), (59_960_000, "1 min"), (61_400_000, "1 min 1 s"), (119_999_999, "2 min"),
    (3_599_499_999, "59 min 59 s"), (3_599_900_000, "1 h"), (7_260_000_000, "2 h 1 min"), (6_032_000_000, "1 h 41 min"),
    (6_029_000_000, "1 h 40 min"), (7_175_000_000, "2 h"),
  ])
  func `a duration is shown with its unit and at most three digits`(microseconds: Int, text: String) {
    #expect(DurationText.of(.microseconds(microseconds)) == text)
  }

  /// The language's own description of about a fifth of these is slightly inexact.
  @Test func `whole seconds are shown as what they are, and parts of them with all digits`() {
    for hours in 1...1_000 { #expect(DurationText.exact(.seconds(hours * 3_600)) == "\(hours * 3_600).0 seconds") }
    for seconds in 2_300...2_400 { #expect(DurationText.exact(.seconds(-seconds)) == "-\(seconds).0 seconds") }
    #expect(DurationText.exact(.milliseconds(250)) == "0.25 seconds")
    #expect(DurationText.exact(.zero) == "0.0 seconds")
    let longest = Duration.seconds(Int64.max)
    for time in [longest, longest * 2, longest * -2] { #expect(DurationText.exact(time) == "\(time)") }
  }

  @Test func `no duration is too long`() {
    #expect(
      DurationText.of(.seconds(Int64.max)).hasSuffix(" min") || DurationText.of(.seconds(Int64.max)).hasSuffix(" h"))
  }
}
