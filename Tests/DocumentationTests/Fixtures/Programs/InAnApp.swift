// prints: Hello, Ann
let screen = await Screen()
_ = await screen.welcoming("Ann").run()
print(await screen.title)

// prints: Converted, 1.0, nothing at work
let observed = await ObservedRun(converting(["a", "b"]).start())
while await observed.outcome == nil { try await Task.sleep(for: .milliseconds(1)) }
if let outcome = await observed.outcome, let fraction = await observed.fractionCompleted {
  print("\(text(of: outcome)), \(fraction), \(await observed.atWork.first ?? "nothing") at work")
}

// prints: Converted
let model = await ConvertModel()
await model.convert(["a", "b"])
print(await model.message)

// prints: Cancelled
let task = Task { await model.convert(["endless"]) }
task.cancel()
await task.value
print(await model.message)
