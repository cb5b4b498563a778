import Foundation
import OperationFlow
import OperationFlowDurable

private struct Answer: Codable, Sendable { var by: String }
extension FlowSignal where Value == Answer {
  fileprivate static var approved: Self { "approved" }
}

enum Approval {
  static func main() async throws {
    let day = Duration.seconds(1)  // .seconds(86_400) in earnest
    let expense = Flow("Expense").add("ask", .writesNothing) { _ in print("please approve") }
    for number in 1...2 {
      expense
        .wait(
          for: .approved, continuingAfter: day, named: "day \(number)", .when { !$0.contains(FlowSignal.approved.key) }
        )
        .add("reminder \(number)", .when { !$0.contains(FlowSignal.approved.key) }, .writesNothing) { _ in
          print("reminder \(number)")
        }
    }
    expense
      .wait(for: .approved, timeout: day, named: "last day", .when { !$0.contains(FlowSignal.approved.key) })
      .add("pay", .reads(FlowSignal.approved.key)) { context in
        print("paid, approved by", try context.require(FlowSignal.approved.key).by)
      }

    let folder = FileManager.default.temporaryDirectory.appending(component: "expenses-\(UUID())")
    let store = FileFlowStore(folder: folder)
    let run = expense.start(id: "expense-3", in: store)
    // Stands for Ann, who approves after the first reminder.
    for await event in run.events where event.source.name == "day 2" {
      try await store.send(.approved, Answer(by: "Ann"), to: "expense-3")
      break
    }
    exit(await run.outcome.isSuccess ? 0 : 1)
  }
}
