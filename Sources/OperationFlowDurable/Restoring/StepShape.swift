import Foundation

/// The shape of a step, on which its stored work depends: its place, and how it works.
package struct StepShape: Sendable, Hashable {
  /// The path as text.
  package var path: String
  /// The kind, and the traits that change the stored work.
  package var traits: String
  /// The block that contains the step.
  package var block: ShapeBlock

  /// True if the step runs at the end.
  package var isAtEnd: Bool

  /// The time or signal that the step waits for, such as `waits for the signal approved`; `nil` if it doesn't wait.
  package var awaited: String?

  /// The beginning of `awaited` for a signal, before the signal's name.
  static let awaitingSignal = "waits for the signal "

  /// The name of the signal that the step waits for; `nil` if it waits for none.
  var awaitedSignal: String? {
    guard let awaited, awaited.hasPrefix(Self.awaitingSignal) else { return nil }
    return String(awaited.dropFirst(Self.awaitingSignal.count))
  }

  init(path: String, traits: String, block: ShapeBlock, isAtEnd: Bool, awaited: String? = nil) {
    (self.path, self.traits, self.block, self.isAtEnd) = (path, traits, block, isAtEnd)
    self.awaited = awaited
  }
}

/// A block of steps: those of a run, of a flow that is a step, or of one branch of a step.
package struct ShapeBlock: Sendable, Hashable {
  /// The number of the step around it; -1 for the steps of the run.
  package var owner: Int
  /// The number of the branch in the step around it.
  package var branch: Int

  package static let root = ShapeBlock(owner: -1, branch: 0)

  package init(owner: Int, branch: Int) { (self.owner, self.branch) = (owner, branch) }
}

extension [StepShape] {
  /// Returns a copy with the parts that a journal of an earlier version left out, from the flow that resumes the run.
  ///
  /// Before version 4, `awaited` was missing, and the path of a wait without a name of its own ended in its time.
  func completed(from new: [StepShape]) -> [StepShape] {
    let waits = new.filter { $0.awaited != nil }
    if waits.isEmpty { return self }
    let known = Dictionary(waits.map { ($0.path, $0) }) { first, _ in first }
    return map { step in
      let ownPath = step.path.range(of: ". wait ", options: .backwards).map {
        String(step.path[..<$0.upperBound].dropLast())
      }
      guard let wait = known[step.path] ?? ownPath.flatMap({ known[$0] }), wait.traits == step.traits else {
        return step
      }
      var completed = step
      (completed.path, completed.awaited) = (wait.path, wait.awaited)
      return completed
    }
  }
}
