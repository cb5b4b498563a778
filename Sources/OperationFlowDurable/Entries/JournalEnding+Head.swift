import Foundation
import OperationFlow
import OperationFlowStorage

extension JournalEnding {
  /// The first part of a journal's last entry, which is enough to list the run.
  struct Head: Sendable {
    let date: Date
    let state: FlowStoredRun.State
    /// The number of settled steps; 0 if the error before it is too long to be read.
    let stepCount: Int

    /// Reads the head from the first bytes of the last entry; returns `nil` if that isn't possible.
    init?(_ bytes: Data) {
      var reader = JournalReader(bytes)
      do {
        guard try reader.byte() == JournalEntry.Kind.ended.rawValue else { return nil }
        date = try reader.date()
        switch try reader.byte() {
        case 0: state = .succeeded
        case 1:
          guard let error = try? reader.error() else {
            (state, stepCount) = (.failed("(the text of its error is too long to be listed)"), 0)
            return
          }
          state = .failed(error.shownText)
        case 2:
          _ = try reader.byte()
          _ = try reader.optional { reader throws(FlowError) in try Place(&reader) }
          state = .cancelled
        default: return nil
        }
        _ = try reader.duration()
        stepCount = try reader.count()
      } catch {
        return nil
      }
    }
  }
}

extension JournalBeginning {
  /// Returns the steps of the flow, as far as the first bytes of the first entry contain them.
  static func steps(in bytes: Data) -> [StepShape] {
    var reader = JournalReader(bytes)
    var steps: [StepShape] = []
    do {
      guard try reader.byte() == JournalEntry.Kind.begun.rawValue else { return [] }
      let head = try Head(&reader)
      for _ in 0..<(try reader.count()) { steps.append(try StepShape(&reader, version: head.version)) }
    } catch {
      // The bytes end in the middle of a long entry.
    }
    return steps
  }
}
