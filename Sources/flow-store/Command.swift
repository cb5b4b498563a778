import Foundation

/// A command line that was understood.
enum Command: Equatable, Sendable {
  /// The runs to list.
  enum Filter: String, Sendable {
    case all
    case waiting = "--waiting"
    case failed = "--failed"
    case unfinished = "--unfinished"
  }

  case list(Filter, flow: String?, json: Bool)
  case show(String, json: Bool)
  case page(String, to: String)
  case pages(Filter, flow: String?, limit: Int, to: String)
  case send(String, signal: String, json: String, message: String?)
  case cancel(String)
  case retry(String)
  case remove(String, evenIfUnfinished: Bool, isConfirmed: Bool)
  case removeEnded(before: Date, isConfirmed: Bool)
  case check(json: Bool)

  /// Reads the words after the folder.
  init(_ words: [String]) throws(Refusal) {
    var words = Words(words)
    guard let name = words.next() else {
      throw .usage(
        "No command is given.", "Commands are list, show, page, pages, send, cancel, retry, remove and check.")
    }
    switch name {
    case "list":
      self = .list(try words.filter(), flow: try words.value(of: "--flow"), json: words.take("--json"))
    case "show":
      let isJSON = words.take("--json")
      self = .show(try words.required("an id", for: name), json: isJSON)
    case "page":
      let file = try words.requiredValue(of: "--to", for: name)
      self = .page(try words.required("an id", for: name), to: file)
    case "pages":
      let folder = try words.requiredValue(of: "--to", for: name)
      let limit = try words.value(of: "--limit") ?? "1000"
      guard let count = Int(limit), count > 0 else {
        throw .usage("\(limit) is no number of runs.", "Give --limit a number above 0.")
      }
      self = .pages(try words.filter(), flow: try words.value(of: "--flow"), limit: count, to: folder)
    case "send":
      let message = try words.value(of: "--message")
      let id = try words.required("an id", for: name)
      let signal = try words.required("the name of a signal", for: name)
      self = .send(id, signal: signal, json: try words.required("a value in JSON", for: name), message: message)
    case "cancel": self = .cancel(try words.required("an id", for: name))
    case "retry": self = .retry(try words.required("an id", for: name))
    case "remove":
      let isConfirmed = words.take("--yes")
      if let text = try words.value(of: "--ended-before") {
        self = .removeEnded(before: try Self.date(text), isConfirmed: isConfirmed)
      } else {
        let isForced = words.take("--even-if-unfinished")
        let id = try words.required("an id or --ended-before DATE", for: name)
        self = .remove(id, evenIfUnfinished: isForced, isConfirmed: isConfirmed)
      }
    case "check": self = .check(json: words.take("--json"))
    default:
      throw .usage(
        "There is no command \(name).", "Commands are list, show, page, pages, send, cancel, retry, remove and check.")
    }
    if let word = words.next() { throw .usage("\(name) has no use for \(word).", "Leave it out.") }
  }

  private static func date(_ text: String) throws(Refusal) -> Date {
    if let date = try? Date(text, strategy: .iso8601) { return date }
    if let date = try? Date(text + "T00:00:00Z", strategy: .iso8601) { return date }
    throw .usage("\(text) is no date.", "Write it as 2026-01-31 or 2026-01-31T12:00:00Z.")
  }

  /// The words that are left.
  private struct Words {
    private var words: [String]

    init(_ words: [String]) { self.words = words }

    mutating func next() -> String? { words.isEmpty ? nil : words.removeFirst() }

    /// Removes an option without a value; returns true if it was there.
    mutating func take(_ option: String) -> Bool {
      guard let index = words.firstIndex(of: option) else { return false }
      words.remove(at: index)
      return true
    }

    /// Removes an option with its value; returns the value, or `nil` if the option isn't there.
    mutating func value(of option: String) throws(Refusal) -> String? {
      guard let index = words.firstIndex(of: option) else { return nil }
      guard index + 1 < words.count else { throw .usage("\(option) has no value.", "Put the value after the option.") }
      defer { words.removeSubrange(index...(index + 1)) }
      return words[index + 1]
    }

    mutating func requiredValue(of option: String, for command: String) throws(Refusal) -> String {
      guard let value = try value(of: option) else {
        throw .usage("\(command) needs \(option).", "Put it after the command.")
      }
      return value
    }

    /// Removes the option that selects runs, and returns it; without one, returns `all`.
    mutating func filter() throws(Refusal) -> Filter {
      var filters: [Filter] = []
      for filter in [Filter.waiting, .failed, .unfinished] where take(filter.rawValue) { filters.append(filter) }
      guard filters.count < 2 else {
        throw .usage("Two filters are given.", "Give one of --waiting, --failed and --unfinished.")
      }
      return filters.first ?? .all
    }

    mutating func required(_ what: String, for command: String) throws(Refusal) -> String {
      guard let word = next() else { throw .usage("\(command) needs \(what).", "Put it after the command.") }
      return word
    }
  }
}
