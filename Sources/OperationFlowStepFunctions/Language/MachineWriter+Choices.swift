import OperationFlow

// Steps that choose, and steps that contain others.
extension MachineWriter {
  /// Writes the states that skip a step whose conditions aren't met.
  mutating func writeConditions(
    of step: FlowPlan.Step, into list: inout StateList, entry: String, next: String, _ around: Surroundings
  ) -> String {
    // No state can read a sealed value, but a worker can.
    let isSealed =
      options.sensitiveValues == .sealed && step.conditions.contains { plan.hides($0.key) }
    if step.hasOtherConditions || isSealed {
      usesOwnData = true
      let variable = LanguageJSON.text(DataPath.own("condition"))
      let choice = list.add(
        name(step, "if"),
        [
          "Type": "Choice",
          "Choices": [
            ["Variable": variable, "BooleanEquals": .boolean(true), "Next": .text(list.target(entry))]
          ], "Default": .text(list.target(next)),
        ])
      let state = task(step, .condition, .whole, ending(around), resultPath: variable)
      return list.add(name(step, "condition"), catching(state, around, in: &list), next: choice)
    }
    guard !step.conditions.isEmpty else { return entry }
    let tests = step.conditions.flatMap { condition in
      condition.values.prefix(1).flatMap { Self.tests(condition.key, $0) }
    }
    return list.add(
      name(step, "if"),
      [
        "Type": "Choice", "Choices": [["And": .array(tests), "Next": .text(list.target(entry))]],
        "Default": .text(list.target(next)),
      ])
  }

  /// Returns the tests that are true if a key exists and its value equals `json`.
  private static func tests(_ key: String, _ json: [UInt8]) -> [LanguageJSON] {
    let variable = LanguageJSON.text(DataPath.key(key))
    let comparison =
      switch json.first {
      case 0x22: "StringEquals"
      case 0x74, 0x66: "BooleanEquals"
      default: "NumericEquals"
      }
    return [
      ["Variable": variable, "IsPresent": .boolean(true)],
      .object(["Variable": variable, comparison: .raw(String(decoding: json, as: UTF8.self))]),
    ]
  }

  mutating func writeCases(
    _ step: FlowPlan.Step, _ cases: [FlowPlan.Case], _ otherwise: [FlowPlan.Step]?, into list: inout StateList,
    next: String, _ around: Surroundings
  ) -> String {
    var choices: [LanguageJSON] = []
    for branch in cases {
      let entry = list.target(write(branch.steps, into: &list, next: next, around))
      choices += branch.comparison.values.map { value in
        ["And": .array(Self.tests(branch.comparison.key, value)), "Next": .text(entry)]
      }
    }
    let fallback = otherwise.map { write($0, into: &list, next: next, around) } ?? around.end
    // A `Choice` state needs at least one choice.
    guard !choices.isEmpty else { return fallback }
    return list.add(
      name(step), ["Type": "Choice", "Choices": .array(choices), "Default": .text(list.target(fallback))])
  }

  /// Writes another flow's steps into the same list; if no case matches in it, the outer flow continues.
  mutating func writeFlow(
    _ step: FlowPlan.Step, _ steps: [FlowPlan.Step], _ data: [String: [UInt8]], into list: inout StateList,
    next: String, _ around: Surroundings
  ) -> String {
    var inner = around
    inner.end = next
    var entry = write(steps, into: &list, next: next, inner)
    for (place, (key, value)) in data.sorted(by: { $0.key < $1.key }).enumerated().reversed() {
      let path = LanguageJSON.text(DataPath.key(key))
      let pass = list.add(
        name(step, "set \(place + 1)"),
        ["Type": "Pass", "Result": .raw(String(decoding: value, as: UTF8.self)), "ResultPath": path], next: entry)
      entry = list.add(
        name(step, "has \(place + 1)"),
        [
          "Type": "Choice",
          "Choices": [
            [
              "And": [
                ["Variable": path, "IsPresent": .boolean(true)], ["Variable": path, "IsNull": .boolean(false)],
              ], "Next": .text(list.target(entry)),
            ]
          ],
          "Default": .text(pass),
        ])
    }
    return entry
  }

  mutating func writeParallel(
    _ step: FlowPlan.Step, _ branches: [[FlowPlan.Step]], into list: inout StateList, next: String,
    _ around: Surroundings
  ) -> String {
    // A branch's data is lost if its failure ends the step, so a failure that needs undos becomes part of the branch's
    // result.
    let hasUndo = around.notesDone && step.hasUndo
    let writesNothing = branches.allSatisfy { $0.allSatisfy(\.writesNothing) } && !hasUndo
    var parts: [LanguageJSON] = []
    for (place, steps) in branches.enumerated() {
      var inner = StateList(end: name(step, "end of branch \(place + 1)"))
      var surroundings = around
      (surroundings.end, surroundings.failure) = (inner.end, hasUndo ? inner.end : nil)
      surroundings.errorPart = "error"
      let start = write(steps, into: &inner, next: inner.end, surroundings)
      parts.append(.object(inner.parts(start: start)))
    }
    var state: StateList.State = ["Type": "Parallel", "Branches": .array(parts), "ResultPath": .null]
    var next = next
    if !writesNothing {
      usesOwnData = true
      state["ResultPath"] = .text(DataPath.own("branches"))
      if hasUndo { next = writeFailed(step, into: &list, next: next, around) }
      let join = task(step, .join, .whole, resultPath: "$")
      next = list.add(name(step, "join"), catching(join, around, in: &list), next: next)
    }
    return list.add(name(step), catching(state, around, in: &list), next: next)
  }

  /// Writes a state that continues as after a failure if the states before it have recorded one.
  mutating func writeFailed(
    _ step: FlowPlan.Step, into list: inout StateList, next: String, _ around: Surroundings
  ) -> String {
    list.add(
      name(step, "failed"),
      [
        "Type": "Choice",
        "Choices": [
          [
            "Variable": .text(DataPath.own("error.Error")), "IsPresent": .boolean(true),
            "Next": .text(list.target(around.failure ?? next)),
          ]
        ], "Default": .text(list.target(next)),
      ])
  }
}

extension FlowPlan.Step {
  /// True if neither the step nor any step within it can change the data or the library's own member.
  fileprivate var writesNothing: Bool {
    switch kind {
    case .work: writes?.isEmpty == true
    case .pause: true
    case .group(let group): group.output == nil && group.tolerance == .none
    case .flow(let steps, let data): data.isEmpty && steps.allSatisfy(\.writesNothing)
    case .cases, .parallel: blocks.allSatisfy { $0.allSatisfy(\.writesNothing) }
    }
  }
}
