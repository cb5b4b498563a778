import Foundation
import OperationFlow

/// What a task or an execution failed with, by the event that says so.
struct HistoryFailure {
  private struct Details: Decodable { let error, cause: String? }

  /// The name by which the service tells failures apart.
  let name: String
  /// What happened; the name comes first unless it is one of the library's.
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
