import Foundation
import OperationFlowStepFunctions
import Testing

/// An interpreter of state machines that runs on this machine.
///
/// `.ci/engines/run` installs two, starts them, runs these tests and stops them. By hand: start one, and set
/// OPERATIONFLOW_ENGINES to names and URLs, such as `localstack=http://127.0.0.1:4566,ministack=http://127.0.0.1:4567`.
/// The engine `ministack-auth` checks signatures, and its URL contains the keys of a user, such as
/// `http://ID:SECRET@127.0.0.1:4568`. Without the variable, these tests are skipped.
struct Engine: Sendable, CustomTestStringConvertible {
  let name: String
  let endpoint: URL
  let credentials: AWSCredentials

  var testDescription: String { name }

  /// The engines that the environment names.
  static let all: [Engine] = (ProcessInfo.processInfo.environment["OPERATIONFLOW_ENGINES"] ?? "")
    .split(separator: ",").compactMap { entry in
      let parts = entry.split(separator: "=", maxSplits: 1)
      guard parts.count == 2, var url = URLComponents(string: String(parts[1])) else { return nil }
      let credentials = AWSCredentials(accessKeyID: url.user ?? "test", secretAccessKey: url.password ?? "test")
      (url.user, url.password) = (nil, nil)
      return url.url.map { Engine(name: String(parts[0]), endpoint: $0, credentials: credentials) }
    }

  /// The engines that accept any signature.
  static let open = all.filter { $0.name != "ministack-auth" }
  /// The engine that aborts executions as soon as they are stopped.
  static let aborting = all.filter { $0.name == "ministack" }
  /// The engine that has timeouts and heartbeats.
  static let timing = all.filter { $0.name == "localstack" }
  /// The engine that checks signatures.
  static let checking = all.filter { $0.name == "ministack-auth" }

  /// Creates a client, which may have a wrong clock or another secret.
  func client(
    secret: String? = nil, clockBehind: TimeInterval = 0, seed: UInt64? = nil
  ) throws -> StepFunctionsClient {
    let transport = try AWSTransport(
      region: "us-east-1", endpoint: endpoint, now: { Date().addingTimeInterval(-clockBehind) },
      credentials: { [credentials] in
        AWSCredentials(
          accessKeyID: credentials.accessKeyID, secretAccessKey: secret ?? credentials.secretAccessKey)
      })
    return StepFunctionsClient(transport: transport, seed: seed)
  }

  /// Returns a name that no other test uses.
  static func freshName(_ purpose: String) -> String { "\(purpose)-\(UUID().uuidString.prefix(8))" }

  /// Deploys a machine of one task and starts it; returns the ARNs of the activity and of the execution.
  func start(
    _ purpose: String, task: [String: Int] = ["TimeoutSeconds": 300], input: String = "{}"
  ) async throws -> (activity: String, execution: String) {
    let client = try client()
    let activity = try await client.createActivity(Self.freshName(purpose))
    let machine = try await client.deployStateMachine(
      Self.freshName(purpose), definition: Self.definition(activity: activity, task: task), roleARN: Self.roleARN)
    let execution = try await client.startExecution(
      of: machine, name: Self.freshName("run"), input: Data(input.utf8))
    return (activity, execution)
  }

  static let roleARN = "arn:aws:iam::000000000000:role/flows"

  /// Returns the definition of a machine of one task.
  static func definition(activity: String, task: [String: Int] = ["TimeoutSeconds": 300]) -> String {
    let settings = task.sorted { $0.key < $1.key }.map { ",\"\($0.key)\":\($0.value)" }.joined()
    return #"{"StartAt":"Work","States":{"Work":{"Type":"Task","Resource":"\#(activity)"\#(settings),"End":true}}}"#
  }
}
