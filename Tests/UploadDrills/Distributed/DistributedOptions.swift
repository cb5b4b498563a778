import Foundation
import OperationFlowStepFunctions
import Uploader

/// The options of `flow-examples distributed`.
package struct DistributedOptions: Hashable, Sendable {
  /// Where the service is; nil for AWS itself.
  var endpoint: URL?
  /// What the service may do for the state machine.
  var role: String?
  /// What a worker process works on; nil for the one that starts the others.
  var work: Work?

  struct Work: Hashable, Sendable {
    let activity: String
    let folder: URL
    let server: URL
  }

  package init(arguments: [String]) throws(UsageError) {
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

  /// The client; an interpreter on this machine takes any keys.
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
