import Foundation
import OperationFlowStepFunctions
import Uploader

/// The options of `flow-examples distributed`.
struct DistributedOptions: Hashable, Sendable {
  /// The address of the service; nil for AWS itself.
  var endpoint: URL?
  /// The role with which the state machine runs.
  var role: String?
  /// The work of a worker process; nil for the process that starts the others.
  var work: Work?

  struct Work: Hashable, Sendable {
    let activity: String
    let folder: URL
    let server: URL
  }

  init(arguments: [String]) throws(UsageError) {
    let values = try OptionValues(arguments, valued: ["--endpoint", "--role", "--work", "--folder", "--to"])
    if let text = values["--endpoint"] { endpoint = try UploadOptions.server(text) }
    role = values["--role"]
    if let activity = values["--work"] {
      work = Work(
        activity: activity, folder: try UsageError.folder(values["--folder"]),
        server: try UploadOptions.server(values["--to"]))
    } else if endpoint == nil, role == nil {
      throw UsageError(
        "Neither an endpoint nor a role is given.",
        remedy: "Say --endpoint URL for an interpreter of state machines, or --role ARN for AWS itself.")
    }
  }

  /// Creates the client.
  ///
  /// An interpreter on this machine accepts any keys.
  func client() throws -> StepFunctionsClient {
    guard let endpoint, ProcessInfo.processInfo.environment["AWS_ACCESS_KEY_ID"] == nil else {
      return StepFunctionsClient(transport: try AWSTransport(endpoint: endpoint))
    }
    let transport = try AWSTransport(region: "us-east-1", endpoint: endpoint) {
      AWSCredentials(accessKeyID: "test", secretAccessKey: "test")
    }
    return StepFunctionsClient(transport: transport)
  }
}
