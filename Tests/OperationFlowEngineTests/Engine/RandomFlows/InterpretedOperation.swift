import TestSupport

@testable import OperationFlow
@testable import OperationFlowDurable

/// A value of the interpreter's bucket, with its text and type in messages.
struct InterpretedValue {
  /// The value, if operations can read and write it; `nil` for an array.
  var value: RandomValue?
  var text: String
  var type: String

  /// The type that a reader has to ask for, in the words of an error.
  var readable: String { type == "array" ? "an array" : type }

  init(_ value: RandomValue) {
    self.value = value
    switch value {
    case .number(let number): (text, type) = ("\(number)", "Int")
    case .text(let text): (self.text, type) = (text, "String")
    }
  }

  init(text: String, type: String) {
    (self.text, self.type) = (text, type)
  }
}

/// The expected effects of one operation, with its lines in the record.
struct InterpretedOperation {
  private(set) var lines: [String] = []
  /// The flow's bucket after the operation, without the writes of an item.
  private(set) var bucket: [String: InterpretedValue]
  /// The values that an item has written.
  private(set) var written: [String: RandomValue] = [:]
  /// The operation's end: the empty text for a success, `cancelled`, or the error's text.
  private(set) var end = ""
  private(set) var cancelsFlow = false

  private let source: String
  private let isItem: Bool
  /// True if the operation has failed in a way that another attempt may change.
  private(set) var mayPass = false
  private let scriptEnd: RandomOperation.End
  /// The end, once decided, for the flow and in the record.
  private var decided: (end: String, text: String)?

  /// Interprets all attempts, and the recovery after the last.
  init(
    _ script: RandomOperation, _ care: RandomCare, source: String, outer: [String: InterpretedValue],
    isItem: Bool = false
  ) {
    self.init(script, attempt: 1, source: source, outer: outer, isItem: isItem)
    guard !cancelsFlow, end != "", end != "cancelled" else { return }
    for attempt in 1..<max(2, care.attempts) where attempt < care.attempts {
      guard mayPass else { break }
      let before = lines
      self.init(script, attempt: attempt + 1, source: source, outer: bucket, isItem: isItem)
      lines = before + lines
      guard !cancelsFlow, end != "", end != "cancelled" else { return }
    }
    guard let recovery = care.recovery, let failure = decided?.text else { return }
    switch recovery {
    case .success:
      say("DidFinish: recovered from " + failure)
      (end, written) = ("", [:])
    case .failure(let name):
      say("DidFinish: withError: TestError(\(name))")
      end = "TestError(\(name))"
    case .cancellation:
      say("DidFinish: cancelled")
      end = "cancelled"
    }
  }

  private init(
    _ script: RandomOperation, attempt: Int, source: String, outer: [String: InterpretedValue], isItem: Bool
  ) {
    self.source = source
    scriptEnd = script.end(of: attempt)
    self.isItem = isItem
    self.bucket = outer
    say("WillStart")
    if attempt <= script.hangingAttempts { decideTimedOut(script) } else { runMainLogic(script) }
    if decided == nil, cancelsFlow { decide(.cancellation) }
    if decided == nil, script.isAsynchronous { runCallback(script) }
    if decided == nil { decideNeverFinished() }
    end = decided?.end ?? ""
    say("DidFinish: " + (decided?.text ?? ""))
  }

  private mutating func say(_ text: String) { lines.append(source + " " + text) }

  private mutating func runMainLogic(_ script: RandomOperation) {
    for action in script.actions {
      guard perform(action) || script.isStubborn else { return }
    }
    if script.style == .synchronous || script.style == .finishedFirst { decide(scriptEnd) }
  }

  private mutating func runCallback(_ script: RandomOperation) {
    for action in script.laterActions {
      guard perform(action) else { return }
      if cancelsFlow { return decide(.cancellation) }
    }
    decide(scriptEnd)
  }

  /// Performs an action; returns false after a read that failed.
  private mutating func perform(_ action: RandomOperation.Action) -> Bool {
    switch action {
    case .log(let line): say(line)
    case .write(let key, let value): write(value, key)
    case .read(let key, let isText, let isOptional): return read(key, isText: isText) || isOptional || fail(key, isText)
    case .finish(let end): decide(end)
    case .cancelFlow:
      if !cancelsFlow { lines.append("[Flow] cancel") }
      cancelsFlow = true
    }
    return true
  }

  // MARK: The end

  private mutating func decide(_ end: RandomOperation.End) {
    switch end {
    case .success: decide("", "successfully")
    case .failure(let name):
      if decided == nil { mayPass = true }
      decide("TestError(\(name))", "withError: TestError(\(name))")
    case .cancellation: decide("cancelled", "cancelled")
    }
  }

  /// Decides the end; only the first decision counts, and others leave a warning.
  private mutating func decide(_ end: String, _ text: String) {
    if decided == nil {
      decided = (end, text)
    } else {
      say("warning: finished again: ignored (\(text))")
    }
  }

  private var place: String { "flow \"Flow\", step \(source): " }

  private mutating func decideNeverFinished() {
    let error =
      place + "it was freed without having finished. Call finishSuccessfully() or finishWithError(error:) "
      + "on every path, or startWithAsynchronous()."
    mayPass = true
    decide(error, "withError: " + error)
  }

  private mutating func decideTimedOut(_ script: RandomOperation) {
    let error =
      place + "it took longer than \(script.care.timeLimit ?? .zero). Allow more time, or find out what it waits for."
    mayPass = true
    decide(error, "withError: " + error)
  }

  // MARK: The bucket

  private func find(_ key: String) -> InterpretedValue? {
    written[key].map { InterpretedValue($0) } ?? bucket[key]
  }

  private func read(_ key: String, isText: Bool) -> Bool {
    switch find(key)?.value {
    case .text: isText
    case .number: !isText
    case nil: false
    }
  }

  /// Fails for a key that is missing or of another type; always returns false.
  private mutating func fail(_ key: String, _ isText: Bool) -> Bool {
    guard let found = find(key) else {
      let problem = "can't find <\(key)> in data bucket"
      decide(
        place + problem + ". Set <\(key)> in the flow's data bucket, or in a step that comes before.",
        "withInsufficientInputData: " + problem)
      return false
    }
    let asked = isText ? "String" : "Int"
    let problem = "<\(key)> in data bucket is <\(found.text)> with type <\(found.type)>, but NOT type <\(asked)>."
    decide(
      place + problem + " Write a value of type \(asked) under <\(key)>, or read it as \(found.readable).",
      "withMismatchInputDataType: " + problem)
    return false
  }

  private mutating func write(_ value: RandomValue?, _ key: String) {
    guard decided == nil else { return say("warning: <\(key)> was written after the finish: ignored") }
    let old = isItem ? written[key].map { InterpretedValue($0) } : bucket[key]
    let new = value.map { InterpretedValue($0) }
    if isItem { written[key] = value } else { bucket[key] = new }
    let who = isItem ? source : "[DataBucket]"
    switch (old, new) {
    case (nil, let new?): lines.append("\(who) add for \(key): \(new.text)")
    case (let old?, let new?): lines.append("\(who) replace for \(key): \(old.text) -> \(new.text)")
    case (let old?, nil): lines.append("\(who) remove for \(key): \(old.text)")
    case (nil, nil): break
    }
  }
}
