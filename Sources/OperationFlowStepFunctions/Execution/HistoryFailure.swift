import Foundation
import OperationFlow

/// The failure of a task or an execution, read from its event.
struct HistoryFailure {
  private struct Details: Decodable { let error, cause: String? }

  /// The name by which the service distinguishes failures.
  let name: String
  /// The cause, after the name unless the name is one of the library's.
  let text: String

  init(_ event: StepFunctionsEvent) {
    let details = try? JSONDecoder().decode(Details.self, from: event.details)
    name = details?.error ?? (event.type.hasSuffix("TimedOut") ? "States.Timeout" : "unknown error")
    let isOurs = [FlowTaskFailure.failedName, FlowTaskFailure.finalName, FlowTaskFailure.stoppedName].contains(name)
    if let cause = details?.cause, !cause.isEmpty {
      text = ValueText.cut(isOurs ? cause : "\(name): \(cause)")
    } else {
      text = name
    }
  }
}
