/// A flow as data, with what each piece of its work comes to, known beforehand.
struct SimulatedFlow: Sendable {
  /// How a step, an item or a collecting ends.
  enum End: Sendable { case success, failure, cancellation }

  struct Step: Sendable {
    /// Says which step it is, in the whole flow.
    var number: Int
    var weight = 1
    var kind: Kind
  }

  indirect enum Kind: Sendable {
    case work(End)
    case group(Group)
    case cases(Cases)
    /// A flow that is a step.
    case flow([Step])
  }

  struct Group: Sendable {
    /// What goes wrong beside the items.
    enum Trouble: Sendable {
      /// The items can't be found, or the width is below 1.
      case plan
      /// Waiting for the item behind the last fails.
      case pull
      case collect
    }

    var items: [End]
    var isStreamed: Bool
    var width: Int
    var tolerance: Int
    var trouble: Trouble?

    var fails: Bool { items.count { $0 != .success } > tolerance || (isStreamed && trouble == .pull) }
  }

  struct Cases: Sendable {
    struct Branch: Sendable {
      var isOtherwise: Bool
      var steps: [Step]
    }

    var branches: [Branch]
    /// The branch whose value the key holds; `nil` where it holds another one.
    var match: Int?
    /// Whether they are built by `flowCase:`, and not as a whole.
    var isFlat: Bool
    /// Whether `combine()` is called though nothing comes behind.
    var isCombined: Bool

    /// The branch that is to be taken.
    var taken: Branch? {
      if let match, !branches[match].isOtherwise { return branches[match] }
      return branches.first(where: \.isOtherwise)
    }
  }

  var steps: [Step]
}

// MARK: Looking through it

extension SimulatedFlow {
  /// All steps, each before those within it.
  var allSteps: [Step] { Self.all(steps) }

  private static func all(_ steps: [Step]) -> [Step] {
    steps.flatMap { step -> [Step] in
      switch step.kind {
      case .work, .group: [step]
      case .cases(let cases): [step] + cases.branches.flatMap { all($0.steps) }
      case .flow(let inner): [step] + all(inner)
      }
    }
  }

  /// The flow as lines, one for each step, as a failure shows it.
  var description: String { Self.lines(steps, indent: "  ").joined(separator: "\n") }

  private static func lines(_ steps: [Step], indent: String) -> [String] {
    steps.flatMap { step -> [String] in
      let head = "\(indent)\(step.number): "
      switch step.kind {
      case .work(let end): return [head + "step, \(end)"]
      case .flow(let inner): return [head + "flow"] + lines(inner, indent: indent + "  ")
      case .group(let group):
        let source = group.isStreamed ? "streamed" : "array"
        let trouble = group.trouble.map { ", \($0) fails" } ?? ""
        let items = group.items.map { "\($0)" }.joined(separator: " ")
        let rule = "width \(group.width), tolerates \(group.tolerance)"
        return [head + "group, \(source), \(rule), items: \(items)\(trouble)"]
      case .cases(let cases):
        return cases.branches.enumerated().reduce(into: [head + "cases, match \(cases.match.map(String.init) ?? "-")"])
        {
          $0.append("\(indent)  \($1.element.isOtherwise ? "otherwise" : "branch \($1.offset)")")
          $0 += lines($1.element.steps, indent: indent + "    ")
        }
      }
    }
  }

  /// The flows that are like this one with a step less.
  var smaller: [SimulatedFlow] { Self.smaller(steps).map(SimulatedFlow.init) }

  private static func smaller(_ steps: [Step]) -> [[Step]] {
    steps.indices.flatMap { index -> [[Step]] in
      var without = steps
      without.remove(at: index)
      return [without]
        + smaller(steps[index]).map { kind in
          var changed = steps
          changed[index].kind = kind
          return changed
        }
    }
  }

  private static func smaller(_ step: Step) -> [Kind] {
    switch step.kind {
    case .work: []
    case .flow(let inner): smaller(inner).map(Kind.flow)
    case .group(var group):
      if group.items.isEmpty {
        []
      } else {
        group.items.indices.map { index in
          let item = group.items.remove(at: index)
          defer { group.items.insert(item, at: index) }
          return .group(group)
        }
      }
    case .cases(var cases):
      cases.branches.indices.flatMap { index -> [Kind] in
        let steps = cases.branches[index].steps
        defer { cases.branches[index].steps = steps }
        return smaller(steps).filter { !$0.isEmpty }.map { changed in
          cases.branches[index].steps = changed
          return .cases(cases)
        }
      }
    }
  }
}
