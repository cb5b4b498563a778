import Foundation
import OperationFlow
import OperationFlowStepFunctions
import TestSupport
import Testing

extension FlowKey where Value == [String] {
  static var photoNames: Self { "photoNames" }
  static var publicLinks: Self { "publicLinks" }
}

extension FlowKey where Value == Int {
  static var fileSize: Self { "fileSize" }
}
extension FlowKey where Value == String {
  static var sizeLabel: Self { "sizeLabel" }
}

// The code of the article `BeyondOneMachine`.

func upload(_ photo: String, idempotencyKey: String) async throws -> String { "https://example.com/\(photo)" }

func photoFlow() -> Flow {
  Flow("Publish")
    .forEach(
      .photoNames, into: .publicLinks, width: 20, .named("upload"), .retry(.attempts(5, delay: .seconds(2)))
    ) { photo, context in
      try await upload(photo, idempotencyKey: context.idempotencyKey)
    }
    .add("announce", .reads(.publicLinks), .writesNothing) { context in
      print("published \(try context.require(.publicLinks).count) photos")
    }
}

func deploy(role: String, client: StepFunctionsClient) async throws -> (machine: String, activity: String) {
  let activity = try await client.createActivity("Publish")
  let definition = try photoFlow().amazonStatesLanguage(activity: activity)
  let machine = try await client.deployStateMachine("Publish", definition: definition.text, roleARN: role)
  return (machine, activity)
}

func makeClient() throws -> StepFunctionsClient { StepFunctionsClient(transport: try AWSTransport()) }

func performTasks(of activity: String, client: StepFunctionsClient) async throws {
  let worker = FlowWorker(photoFlow(), activity: activity, client: client, concurrency: 8)
  try await worker.run()
}

func publish(_ photos: [String], order: String, on machine: String, client: StepFunctionsClient) async throws {
  let input = try photoFlow().executionInput(with: ["photoNames": photos])
  let execution = try await FlowExecution.start(machine, name: order, input: input, client: client)
  let ended = try await execution.outcome()
  print(try await execution.record(of: photoFlow()).summary(style: .brief))
  if let output = ended.output { print(try StateMachineOutput(json: output)[.publicLinks] ?? []) }
}

// The code of the article `OtherEngines`.

func labelling() -> Flow {
  Flow("Label").add("label", .reads(.fileSize), .writes(.sizeLabel)) {
    $0[.sizeLabel] = try $0.require(.fileSize) > 10 ? "large" : "small"
  }
}

func labelActivity(bucket: Data, run: String, attempt: Int) async throws -> Data {
  let performer = FlowTaskPerformer(labelling())
  let task = FlowTask(.value, of: "1. label", in: "Label", run: run, attempt: attempt, bucket: bucket)
  return try await performer.perform(task)
}

func consume(
  _ messages: AsyncStream<Data>, answer: @Sendable (Result<Data, FlowTaskFailure>) async -> Void
) async {
  let performer = FlowTaskPerformer(labelling())
  for await message in messages {
    do throws(FlowTaskFailure) {
      await answer(.success(try await performer.perform(message)))
    } catch {
      await answer(.failure(error))
    }
  }
}

/// The code of comments in the module's sources.
private enum StepFunctionsComments {
  static func connect() async throws {
    let client = try StepFunctionsClient(transport: AWSTransport())
    let activity = try await client.createActivity("Publish")
    _ = activity
  }

  static func perform(_ flow: Flow, _ input: Data) async throws {
    let performer = FlowTaskPerformer(flow)
    let output = try await performer.perform(input)
    _ = output
  }

  static func work(_ flow: Flow, _ activity: String, _ client: StepFunctionsClient) async throws {
    let worker = FlowWorker(flow, activity: activity, client: client, concurrency: 4)
    try await worker.run()
  }
}

@Suite(.watched) struct BeyondOneMachineTests {
  @Test func `the article's flow can be exported, and its input holds the photos`() throws {
    let definition = try photoFlow().amazonStatesLanguage(
      activity: "arn:aws:states:eu-central-1:000000000000:activity:Publish")
    #expect(definition.steps.values.map(\.description).contains("1. upload"))
    let input = try photoFlow().executionInput(with: ["photoNames": ["a.jpg"]])
    #expect(String(decoding: input, as: UTF8.self) == #"{"photoNames":["a.jpg"]}"#)
  }

  @Test func `an activity of another engine performs a step`() async throws {
    let answer = try await labelActivity(bucket: Data(#"{"fileSize": 12}"#.utf8), run: "r1", attempt: 1)
    #expect(String(decoding: answer, as: UTF8.self) == #""large""#)
  }

  @Test func `a queue's consumer answers each message`() async throws {
    let answers = Journal<Result<Data, FlowTaskFailure>>()
    let task = FlowTask(.value, of: "1. label", in: "Label", run: "r1", bucket: Data(#"{"fileSize": 3}"#.utf8))
    let messages = AsyncStream { continuation in
      continuation.yield(task.json)
      continuation.yield(Data("{}".utf8))
      continuation.finish()
    }
    await consume(messages) { answers.append($0) }
    #expect(try answers.entries.first?.get() == Data(#""small""#.utf8))
    guard case .failure(let failure)? = answers.entries.last else { throw CocoaError(.featureUnsupported) }
    #expect(answers.entries.count == 2 && !failure.mayBeRetried)
  }
}
