import OperationFlow
import OperationFlowStorage

/// The first difference between the steps of two flows, in words: a step was inserted, removed, moved or changed.
struct ShapeDifference: CustomStringConvertible {
  let description: String

  /// Compares steps by their names, because an inserted step changes the numbers of all steps after it.
  ///
  /// It is `nil` if the steps differ at most in their numbers.
  init?(from old: [StepShape], to new: [StepShape]) {
    let (oldNames, newNames) = (old.map(\.unnumberedPath), new.map(\.unnumberedPath))
    let isSame = { (place: Int) in oldNames[place] == newNames[place] && old[place].traits == new[place].traits }
    let common = min(old.count, new.count)
    let place = (0..<common).first { !isSame($0) } ?? common
    guard place < common else {
      guard old.count != new.count else { return nil }
      self = place < old.count ? Self(removed: old[place]) : Self(added: new[place])
      return
    }
    let (was, isNow) = (oldNames[place], newNames[place])
    let next = was == isNow ? nil : newNames[place...].firstIndex(of: was)
    let last = was == isNow ? nil : oldNames[place...].firstIndex(of: isNow)
    let (one, other) = (Self.shown(old[place]), Self.shown(new[place]))
    let text =
      switch (next, last) {
      case (nil, nil): "a step was <\(one)>, and now is <\(other)>"
      case (let next?, nil): "the step <\(other)> was inserted before <\(Self.shown(new[next]))>"
      case (nil, _?): "the step <\(one)> was removed"
      case (let next?, let last?):
        next == place + 1
          ? "the step <\(Self.shown(old[last]))> was moved, and now is <\(other)>"
          : "the step <\(one)> was moved, and now is <\(Self.shown(new[next]))>"
      }
    self.init(text)
  }

  private init(_ description: String) { self.description = description }

  /// Describes a step that was added after all others.
  init(added step: StepShape) { self.init("the step <\(Self.shown(step))> was added") }

  private init(removed step: StepShape) { self.init("the step <\(Self.shown(step))> was removed") }

  /// Describes a step that was replaced, or that is missing now.
  init(_ old: StepShape, isNow new: StepShape?) {
    self.init("a step was <\(Self.shown(old))>, and now " + (new.map { "is <\(Self.shown($0))>" } ?? "is missing"))
  }

  private static func shown(_ step: StepShape) -> String { ValueText.cut(step.text) }
}

extension StepShape {
  /// The path without the numbers of the steps.
  fileprivate var unnumberedPath: String {
    path.split(separator: " > ", omittingEmptySubsequences: false).map { part in
      let rest = part.drop { $0.isNumber }
      return rest.count < part.count && rest.hasPrefix(". ") ? rest.dropFirst(2) : part
    }.joined(separator: " > ")
  }
}
