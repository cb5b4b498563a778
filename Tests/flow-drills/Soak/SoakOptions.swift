import Uploader

/// The options of `flow-examples soak`.
struct SoakOptions: Hashable, Sendable {
  var fileCount = 2_000
  var seed: UInt64 = 1
  var planted: FaultyReceiver.PlantedError?
  /// The rules: enough attempts for each file to get through, and a timeout that doesn't slow the soak down.
  var rules = UploadRules()

  init(arguments: [String]) throws(UsageError) {
    let values = try OptionValues(arguments, valued: ["--files", "--seed", "--width", "--timeout", "--plant"])
    fileCount = try values.count("--files", from: 1, remedy: "Say how many files are uploaded.") ?? fileCount
    (rules.width, rules.allowsFailure, rules.attempts) = (16, true, 10)
    (rules.firstDelay, rules.delayLimit) = (.milliseconds(5), .milliseconds(200))
    rules.timeout = .milliseconds(300)
    rules.width = try values.count("--width", from: 1, remedy: "Say how many files are sent at once.") ?? rules.width
    rules.timeout = try values.seconds("--timeout", remedy: "Say how long an attempt may take.") ?? rules.timeout
    if let text = values["--seed"] {
      guard let number = UInt64(text) else {
        throw UsageError("--seed \(text) is no number from 0 up.", remedy: "Give that of the soak to repeat.")
      }
      seed = number
    }
    if let text = values["--plant"] {
      guard let error = FaultyReceiver.PlantedError(rawValue: text) else {
        let all = FaultyReceiver.PlantedError.allCases.map(\.rawValue).joined(separator: ", ")
        throw UsageError("--plant \(text) is no error that can be planted.", remedy: "Say one of \(all).")
      }
      planted = error
    }
  }
}
