// The third of four words fails in a group that is followed by another step.
given.flow = Flow("Lengths").set(.words, to: ["a", "bb", "", "dddd"])
  .forEach(.words, into: .lengths, width: 1) { word, _ in
    guard !word.isEmpty else { throw EmptyWord() }
    return word.count
  }
  .add("store") { _ in }
given.outcome = await flow.run()
try await `What happened, step by step`()
// prints: lengths so far: 2
try await `What happened, step by step, 2`()
print(outcome.report.summary)
try await `A readable error`()
try await `What a FlowError contains`()

// prints: cancelled
given.flow = Flow("Cancelling").add("stop") { _ in throw CancellationError() }
try await `The outcome, 2`()
// prints: cancelled by [stop]
given.outcome = await flow.run()
try await `What happened, step by step, 2`()

// prints: NoUser() 0 1
given.flow = Flow("Greeting").setData(name: "user", value: "").add("ask") { _ in }.add(CheckOp())
try await `The outcome`()
