import Foundation
import OperationFlow

/// Shows on standard error how far a group has come: on a terminal in a line that is rewritten, else now and then.
final class UploadProgress: @unchecked Sendable {
  // Invariant of the unchecked conformance: the counts are touched under `lock` alone.
  private let lock = NSLock()
  private var totalCount = 0
  private var finishedCount = 0
  private var failedCount = 0

  /// Takes the next event of the run.
  func note(_ event: FlowEvent) {
    lock.withLock {
      switch event.kind {
      case .groupCreated(let count):
        totalCount = count
      case .finished(let finish) where event.source.item != nil:
        finishedCount += 1
        if finish != .successfully { failedCount += 1 }
        show()
      case .flowFinished where Console.isTerminal && finishedCount > 0:
        Console.write("\n")
      default:
        break
      }
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
