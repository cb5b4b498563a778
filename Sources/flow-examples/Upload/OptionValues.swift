/// The values of a command's options, as they are in the command line.
package struct OptionValues {
  private let values: [String: String]

  /// Reads the arguments of a command.
  ///
  /// - Parameters:
  ///   - arguments: The arguments after the command.
  ///   - valued: The options that have a value, in the order in which an error lists them.
  ///   - flags: The options that have none.
  /// - Throws: An error with the remedy if an option is unknown, given twice, or has no value.
  package init(_ arguments: [String], valued: [String], flags: [String] = []) throws(UsageError) {
    var values: [String: String] = [:]
    var rest = arguments[...]
    while let option = rest.popFirst() {
      guard values[option] == nil else { throw UsageError("\(option) is given twice.", remedy: "Say it once.") }
      if flags.contains(option) {
        values[option] = ""
        continue
      }
      guard valued.contains(option) else {
        let options = valued + flags
        let list = options.dropLast().joined(separator: ", ") + " and " + (options.last ?? "")
        throw UsageError("There is no option \(option).", remedy: "Options are \(list).")
      }
      guard let value = rest.popFirst(), !value.isEmpty, !value.hasPrefix("--") else {
        throw UsageError("\(option) has no value.", remedy: "Put the value after the option.")
      }
      values[option] = value
    }
    self.values = values
  }

  /// The text of an option, or an empty one for a flag; nil if it isn't given.
  package subscript(option: String) -> String? { values[option] }

  /// Reads a whole number.
  ///
  /// - Returns: The number; nil if the option isn't given.
  /// - Throws: An error with the remedy if the value is no number, or below the least one.
  package func count(_ option: String, from least: Int, remedy: String) throws(UsageError) -> Int? {
    guard let text = values[option] else { return nil }
    guard let count = Int(text), count >= least else {
      throw UsageError("\(option) \(text) is no number from \(least) up.", remedy: remedy)
    }
    return count
  }

  /// Reads a time in seconds, which may have decimals.
  ///
  /// - Returns: The time; nil if the option isn't given.
  /// - Throws: An error with the remedy if the value is no time of at least a millisecond and at most a year.
  package func seconds(_ option: String, remedy: String) throws(UsageError) -> Duration? {
    guard let text = values[option] else { return nil }
    guard let seconds = Double(text), seconds >= 0.001, seconds <= 31_557_600 else {
      throw UsageError("\(option) \(text) is no number of seconds from 0.001 up.", remedy: remedy)
    }
    return .seconds(seconds)
  }
}
