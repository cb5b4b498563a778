// prints: ["1. upload", "2. announce"]
let activity = "arn:aws:states:eu-central-1:000000000000:activity:Publish"
print(Set(try photoFlow().amazonStatesLanguage(activity: activity).steps.values.map(\.description)).sorted())
// prints: {"photoNames":["a.jpg"]}
print(String(decoding: try photoFlow().executionInput(with: ["photoNames": ["a.jpg"]]), as: UTF8.self))
