import Foundation
import OperationFlow
import OperationFlowReports
import OperationFlowStepFunctions
import UploadServer
import Uploader

/// The upload as a state machine of AWS Step Functions: three worker processes perform it, and one of them is killed.
struct DistributedExample {
  private static let (fileCount, workerCount, killedAfter) = (60, 3, 15)

  let options: DistributedOptions
  let client: StepFunctionsClient
  /// A unique name, so that nothing of an earlier run interferes.
  private let name = "flow-examples-\(UUID().uuidString.prefix(8))"

  /// Runs the example, and prints its results.
  ///
  /// - Returns: The exit code: 0 if every file is stored.
  static func run(_ options: DistributedOptions) async -> Int32 {
    do {
      let client = try options.client()
      if let work = options.work { return await work.perform(client) }
      try await DistributedExample(options: options, client: client).run()
      return 0
    } catch {
      Console.report("flow-drills: \(error)")
      return 1
    }
  }

  private func run() async throws {
    print("deploying an upload of \(Self.fileCount) files to \(options.endpoint?.absoluteString ?? "AWS")")
    let samples = try SampleFolder(fileCount: Self.fileCount, sizes: .mixed)
    defer { try? samples.remove() }
    // An empty folder, for what the receiver stores.
    let storage = try SampleFolder(fileCount: 0)
    defer { try? storage.remove() }
    let arrivals = Arrivals()
    let receiver = try HTTPReceiver.counting(arrivals, storingIn: storage.url)
    defer { receiver.stop() }
    try await upload(samples, to: receiver.url, arrivals)
    for file in samples.files {
      let stored = storage.url.appending(component: file.lastPathComponent)
      try expect(
        try Checksum(fileAt: stored) == Checksum(fileAt: file), "\(file.lastPathComponent) is stored as it was")
    }
    print("all \(samples.files.count) files are stored, \(arrivals.repeatedCount) of them were sent again")
  }

  private func upload(_ samples: SampleFolder, to server: URL, _ arrivals: Arrivals) async throws {
    let flow = Flow.distributedUpload(samples.url, to: server)
    let activity = try await client.createActivity(name)
    // A task that is lost on its way to a worker is offered again after a minute.
    let times = StateMachineOptions(taskTimeout: .seconds(60), heartbeat: .seconds(2))
    let machine = try await client.deployStateMachine(
      name, definition: flow.amazonStatesLanguage(activity: activity, options: times).text,
      roleARN: options.role ?? "arn:aws:iam::000000000000:role/flow-examples")
    print("deployed \(name), with \(Self.workerCount) workers")
    let workers = (0..<Self.workerCount).map { _ in ChildProcess(workerArguments(activity, samples.url, server)) }
    defer { for worker in workers where worker.isRunning { worker.kill() } }
    for worker in workers { try worker.start() }
    let execution = try await FlowExecution.start(
      machine, name: name, input: flow.executionInput(), client: client)
    await arrivals.reach(Self.killedAfter, or: workers[0])
    workers[0].kill()
    print("killed a worker after \(arrivals.count) files had arrived")
    let outcome = try await DistributedWait(arrivals: arrivals, fileCount: samples.files.count).outcome(of: execution)
    for worker in workers.dropFirst() { worker.stop() }
    for worker in workers { await worker.end() }
    print(try await execution.record(of: flow).summary(style: .brief))
    try await client.deleteStateMachine(machine)
    try expect(outcome.status == .succeeded, "the execution succeeds: \(outcome.error ?? "") \(outcome.cause ?? "")")
    let output = try StateMachineOutput(json: outcome.output ?? Data())
    try expect(output[.addresses]?.count == samples.files.count, "the output has the address of each file")
  }

  private func workerArguments(_ activity: String, _ folder: URL, _ server: URL) -> [String] {
    let endpoint = options.endpoint.map { ["--endpoint", $0.absoluteString] } ?? []
    return ["distributed", "--work", activity, "--folder", folder.path, "--to", server.absoluteString] + endpoint
  }
}
