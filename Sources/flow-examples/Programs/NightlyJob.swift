import Foundation
import OperationFlow
import OperationFlowDurable
import OperationFlowReports

extension FlowKey where Value == [String] {
  fileprivate static var tables: Self { "tables" }
}

private struct Unreadable: Error {}

/// Stands for a mail, or a message to the person on call.
private func alert(_ text: String) { print("ALERT", text) }

enum NightlyJob {
  static func main() async throws {
    let nightly = Flow("Nightly")
      .deadline(.seconds(4 * 3600))
      .sendLog(to: .standardError, from: .warning)
      .add("list", .writes(.tables)) { $0[.tables] = ["orders", "customers", "stock"] }
      .forEach(.tables, width: 2, .named("back up"), .retry(.attempts(2, delay: .milliseconds(10)))) { table, _ in
        if table == "stock" { throw Unreadable() }
      }
      .add("remove old backups") { _ in }

    // In earnest, a folder that survives a reboot, such as /var/lib/nightly.
    let folder = FileManager.default.temporaryDirectory.appending(component: "nightly")
    let day = Date.now.formatted(Date.ISO8601FormatStyle(timeZone: .current).year().month().day())
    let outcome = await nightly.run(id: day, in: FileFlowStore(folder: folder), retryingFailure: true)
    if (outcome.error as? FlowError)?.code == .runInUse { exit(75) }  // the process that runs it will alert
    if outcome.hadEnded { exit(outcome.isSuccess ? 0 : 1) }  // it was done before, and nothing has run
    let summary = outcome.report.summary(style: .brief)
    if outcome.failure?.isRefusal == true {  // nothing has run, so an earlier page isn't replaced
      alert(summary)
      exit(78)
    }
    let page = folder.appending(component: "\(day).html")
    try Data(outcome.report.record.page.utf8).write(to: page, options: .atomic)
    if !outcome.isSuccess { alert("\(summary)\(page.path)") }
    exit(outcome.isSuccess ? 0 : 1)
  }
}
