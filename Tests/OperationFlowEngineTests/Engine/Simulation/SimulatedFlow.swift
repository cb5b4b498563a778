/// A flow as data, with the end of each piece of its work defined in advance.
struct SimulatedFlow: Sendable {
  /// The end of an attempt of a step or item, or of the collecting of a group.
  enum End: Sendable, Hashable { case success, failure, cancellation }

  /// The attempts of a step or item, with times in seconds.
  struct Plan: Sendable, Hashable {
    var count: Int
    var delay: Int
    var timeout: Int?
    /// The time limit of all attempts together.
    var total: Int?
    /// The time until work that has timed out is abandoned; `nil` to wait for the work's end.
    var patience: Int?
    /// The end of a recovery from the last failure; `nil` for none.
    var recovery: End?
    /// The attempt whose failure forbids another attempt; 0 for none.
    var lastAttempt = 0
    /// The delay that a failure asks for, instead of the plan's.
    var askedDelay: Int?
  }

  /// The result of a step's condition.
  enum Condition: Sendable, Hashable { case met, unmet, failing, cancelling }

  struct Step: Sendable {
    /// A number that identifies the step in the whole flow.
    var number: Int
    var weight = 1
    /// The plan of a step with work of its own, or of a group's items.
    var plan: Plan?
    var condition: Condition?
    /// The undo of the step, or of a group's items.
    var undo: Undo?
    /// True if the attempts of the step, or of a group's items, need a permit.
    var isLimited = false
    /// Flows that run at the end of the run if this step has started; the step is a flow.
    var always: [Step] = []
    var kind: Kind
  }

  /// The attempts at undoing a step or an item, and their ends.
  struct Undo: Sendable, Hashable {
    var plan: Plan
    var ends: [End]
    /// True if work that has started and not succeeded is undone, too.
    var isForUncertain = false
  }

  indirect enum Kind: Sendable {
    /// A step with work of its own, and the ends of its attempts.
    case work([End])
    case group(Group)
    case cases(Cases)
    /// A flow that is a step.
    case flow([Step])
    /// Branches that run at once and meet.
    case parallel([[Step]])
  }

  struct Group: Sendable {
    /// A failure of the group itself, not of its items.
    enum Trouble: Sendable {
      /// The items can't be found, or the width is below 1.
      case plan
      /// The pull after the last item fails.
      case pull
      case collect
    }

    /// The ends of the attempts of each item.
    var items: [[End]]
    var isStreamed: Bool
    var width: Int
    var tolerance: Int
    /// The percentage of the items that may fail, instead of a number.
    var share: Int?
    var trouble: Trouble?
    /// The ends of the deliveries of the items' results, used in turn; empty if no result is delivered.
    var handings: [End] = []
  }

  struct Cases: Sendable {
    struct Branch: Sendable {
      var isOtherwise: Bool
      var steps: [Step]
    }

    var branches: [Branch]
    /// The branch whose value equals the key's value; `nil` if there is none.
    var match: Int?
    /// True if the cases are built by `flowCase:`, and not as a whole.
    var isFlat: Bool
    /// True if `combine()` is called even if no step follows.
    var isCombined: Bool

    /// The branch that is chosen.
    var taken: Branch? {
      if let match, !branches[match].isOtherwise { return branches[match] }
      return branches.first(where: \.isOtherwise)
    }
  }

  var steps: [Step]
  /// Flows that run at the end of the run.
  var always: [Step] = []
  /// The number of retries that are always allowed; `nil` if retries are unlimited.
  var budget: Int?
  /// The share of attempts that may be retries beyond `budget`, in eighths, which are exact in binary.
  var budgetEighths = 0
  /// The time limit of the whole run, in seconds.
  var deadline: Int?
}

// MARK: Reading

extension SimulatedFlow {
  /// All steps, each before those within it.
  var allSteps: [Step] { Self.all(steps) + Self.all(always) }

  private static func all(_ steps: [Step]) -> [Step] {
    steps.flatMap { step -> [Step] in
      switch step.kind {
      case .work, .group: [step]
      case .cases(let cases): [step] + cases.branches.flatMap { all($0.steps) }
      case .flow(let inner): [step] + all(inner) + all(step.always)
      case .parallel(let branches): [step] + branches.flatMap(all)
      }
    }
  }

  /// A text of the flow for messages, with a line for each step.
  var description: String {
    let retries = budget.map { ["  at most \($0) retries, or \(budgetEighths) of 8 attempts"] } ?? []
    let limits = retries + (deadline.map { ["  a deadline of \($0) s"] } ?? [])
    let end = always.isEmpty ? [] : ["  always"] + Self.lines(always, indent: "    ")
    return (limits + Self.lines(steps, indent: "  ") + end).joined(separator: "\n")
  }

  private static func lines(_ steps: [Step], indent: String) -> [String] {
    steps.flatMap { step -> [String] in
      let head = "\(indent)\(step.number): " + (step.condition.map { "if \($0), " } ?? "")
      let plan =
        (step.isLimited ? ", limited" : "") + (step.plan.map { ", \($0.description)" } ?? "")
        + (step.undo.map {
          ", undone by \($0.plan.description), \(text($0.ends))\($0.isForUncertain ? " if uncertain" : "")"
        } ?? "")
      switch step.kind {
      case .work(let ends): return [head + "step, \(text(ends))\(plan)"]
      case .flow(let inner):
        let always = step.always.isEmpty ? [] : [indent + "  always"] + lines(step.always, indent: indent + "    ")
        return [head + "flow"] + lines(inner, indent: indent + "  ") + always
      case .group(let group):
        let source = group.isStreamed ? "streamed" : "array"
        let trouble = group.trouble.map { ", \($0) fails" } ?? ""
        let items = group.items.map(text).joined(separator: " ")
        let handing = group.handings.isEmpty ? "" : ", hands on: \(text(group.handings))"
        let rule = "width \(group.width), tolerates " + (group.share.map { "\($0) %" } ?? "\(group.tolerance)")
        return [head + "group, \(source), \(rule), items: \(items)\(plan)\(handing)\(trouble)"]
      case .cases(let cases):
        let branches = cases.branches.enumerated().map { ($1.isOtherwise ? "otherwise" : "branch \($0)", $1.steps) }
        return lines(branches, head + "cases, match \(cases.match.map(String.init) ?? "-")", indent)
      case .parallel(let branches):
        return lines(branches.enumerated().map { ("branch \($0)", $1) }, head + "parallel", indent)
      }
    }
  }

  private static func lines(_ branches: [(name: String, steps: [Step])], _ head: String, _ indent: String) -> [String] {
    [head] + branches.flatMap { ["\(indent)  \($0.name)"] + lines($0.steps, indent: indent + "    ") }
  }

  private static func text(_ ends: [End]) -> String { ends.map { "\($0)" }.joined(separator: "/") }
}

extension SimulatedFlow.Plan {
  fileprivate var description: String {
    let parts: [String?] = [
      "\(count) attempts", delay > 0 ? "every \(delay) s" : nil, timeout.map { "of \($0) s" },
      total.map { "in \($0) s" }, patience.map { "abandoned after \($0) s" }, recovery.map { "recovery: \($0)" },
      lastAttempt > 0 ? "none after \(lastAttempt)" : nil, askedDelay.map { "asks for \($0) s" },
    ]
    return parts.compactMap(\.self).joined(separator: " ")
  }
}
