/// A flow as data, with what each piece of its work comes to, known beforehand.
struct SimulatedFlow: Sendable {
  /// How an attempt of a step or item ends, or the collecting of a group.
  enum End: Sendable, Hashable { case success, failure, cancellation }

  /// How often a step or item is tried, and for how long; times are in seconds.
  struct Plan: Sendable, Hashable {
    var count: Int
    var delay: Int
    var timeout: Int?
    /// The time of all attempts together.
    var total: Int?
    /// How long work that has timed out is waited for; `nil` to wait for its end.
    var patience: Int?
    /// How a recovery from the last failure ends; `nil` for none.
    var recovery: End?
    /// The attempt after whose failure there is no other; 0 for none.
    var lastAttempt = 0
    /// The delay that a failure asks for, instead of the plan's.
    var askedDelay: Int?
  }

  /// What the condition of a step comes to.
  enum Condition: Sendable, Hashable { case met, unmet, failing, cancelling }

  struct Step: Sendable {
    /// Says which step it is, in the whole flow.
    var number: Int
    var weight = 1
    /// The plan of a step with work of its own, or of a group's items.
    var plan: Plan?
    var condition: Condition?
    /// How what it does is undone, or what a group's items do.
    var undo: Undo?
    /// Whether its attempts, or those of a group's items, have to wait for a permit.
    var isLimited = false
    /// Flows that run at the end of the run if this step, which is a flow, has begun.
    var always: [Step] = []
    var kind: Kind
  }

  /// How a step or an item is undone: how often it is tried, and how each attempt ends.
  struct Undo: Sendable, Hashable {
    var plan: Plan
    var ends: [End]
    /// True if it also undoes what has begun and not succeeded.
    var isForUncertain = false
  }

  indirect enum Kind: Sendable {
    /// A step with work of its own, and how each of its attempts ends.
    case work([End])
    case group(Group)
    case cases(Cases)
    /// A flow that is a step.
    case flow([Step])
    /// Branches that run at once and meet.
    case parallel([[Step]])
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

    /// How each attempt of each item ends.
    var items: [[End]]
    var isStreamed: Bool
    var width: Int
    var tolerance: Int
    /// The percentage of the items that may fail, in place of a number.
    var share: Int?
    var trouble: Trouble?
    /// How the handing on of the items' results ends, one after the other in turn; empty if none is handed on.
    var handings: [End] = []
  }

  struct Cases: Sendable {
    struct Branch: Sendable {
      var isOtherwise: Bool
      var steps: [Step]
    }

    var branches: [Branch]
    /// The branch whose value the key holds; `nil` if it holds another one.
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
  /// Flows that run at the end.
  var always: [Step] = []
  /// How many attempts may follow failures in the whole run; `nil` for any number.
  var budget: Int?
  /// How many of eight attempts may follow failures beyond that: a share that is exact in binary.
  var budgetEighths = 0
  /// The time of the whole run.
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

  /// The flow as lines, one for each step, as a failure shows it.
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
