import OperationFlow

/// Shows a group's progress on standard error: on a terminal in a line that is rewritten, otherwise now and then.
struct UploadProgress {
  private var totalCount = 0
  private var finishedCount = 0
  private var failedCount = 0

  /// Follows a run to its end.
  static func show(_ run: FlowRun) async {
    var progress = UploadProgress()
    for await event in run.events { progress.note(event) }
  }

  private mutating func note(_ event: FlowEvent) {
    switch event.kind {
    case .groupCreated(let count):
      totalCount = count
    case .finished(let finish) where event.source.item != nil && !event.isRetried:
      finishedCount += 1
      if finish != .successfully { failedCount += 1 }
      show()
    case .flowFinished where Console.isTerminal && finishedCount > 0:
      Console.write("\n")
    default:
      break
    }
  }

  private func show() {
    let line = "\(finishedCount) of \(totalCount) files" + (failedCount > 0 ? ", \(failedCount) not uploaded" : "")
    if Console.isTerminal {
      Console.write("\r\(line)")
    } else if finishedCount % ((totalCount + 3) / 4) == 0 || finishedCount == totalCount {
      Console.report(line)
    }
  }
}
