// prints: Hello, Ann
let screen = await Screen()
_ = await screen.welcoming("Ann").run()
print(await screen.title)

// prints: Converted
let model = await ConvertModel()
await model.convert(["a", "b"])
print(await model.message)

// prints: Cancelled
let task = Task { await model.convert(["endless"]) }
task.cancel()
await task.value
print(await model.message)
