extension Validation {
  /// Reports values that no step reads, as probably misspelt, if all steps declare what they read.
  func findUnreadData(_ data: FlowData) {
    guard !blueprint.steps.isEmpty, let used = usedNames else { return }
    findUnread(data.entries.keys.sorted(), used, at: "the flow")
    for id in blueprint.steps.indices {
      if case .flow(_, let data, _) = blueprint.steps[id].kind {
        findUnread(data.keys.sorted(), used, at: path(of: id))
      }
    }
  }

  private func findUnread(_ names: [String], _ used: UsedNames, at path: FlowPath) {
    for name in names where !used.declared.contains(name) && !used.read.contains(name) {
      let nearest = name.nearest(among: used.read)
      report(
        .warning, .unreadData, at: path, "It sets <\(name)>, which no step reads.",
        remedy: nearest.map { "Set <\($0)>, if that is meant." }
          ?? "Leave it out, or declare it with .reads in the step that reads it.", key: name)
    }
  }

  /// The names that steps declare; `nil` if a step may read others.
  private var usedNames: UsedNames? {
    var used = UsedNames()
    for id in blueprint.steps.indices {
      guard declaresReads(id) else { return nil }
      let ports = facts.ports[id]
      used.read.formUnion((ports.allInputs + [ports.item].compactMap(\.self)).map(\.name))
      used.declared.formUnion((ports.outputs + ports.itemWrites + [ports.itemOutput].compactMap(\.self)).map(\.name))
      if case .cases(let cases) = blueprint.steps[id].kind {
        used.read.formUnion(cases.branches.compactMap(\.condition.key))
      }
    }
    return used
  }

  private func declaresReads(_ id: Blueprint.StepID) -> Bool {
    let (step, ports) = (blueprint.steps[id], facts.ports[id])
    guard step.options?.conditions.allSatisfy({ $0.input != nil }) ?? true else { return false }
    if step.options?.declared?.reads != nil || facts.marks(of: id).contains(.wait) { return true }
    switch step.kind {
    case .closure: return false
    case .operation:
      return ports.typeWithHiddenPorts == nil
        && !(ports.inputs.isEmpty && (ports.mayWriteAnything || ports.outputs.isEmpty))
    case .group(let group): return group.creator != nil && group.tolerance == .none && ports.item != nil
    case .cases, .flow, .parallel: return true
    }
  }

  /// Reports a compared value that is nearly the only value that its key ever has, and so is probably misspelt.
  func findMisspeltValues(of condition: FlowCase, _ code: FlowError.Code, at path: @autoclosure () -> FlowPath) {
    guard let key = condition.key, known.isSure, !facts.shown(condition).isSensitive else { return }
    var held: Set<String> = []
    for writer in known[key].writers {
      guard case .initial(let value, _) = writer, let text = value as? String else { return }
      held.insert(text)
    }
    // If a condition compares a value of the key, that value is spelt right.
    guard held.allSatisfy({ comparedValues[key]?.contains($0) != true }) else { return }
    for value in condition.values.compactMap({ $0.value as? String }) {
      guard let nearest = value.nearest(among: held) else { continue }
      report(
        .warning, code, at: path(),
        "It is for \"\(value)\" under <\(key)>, which holds \"\(nearest)\" and is never written.",
        remedy: "Compare it with \"\(nearest)\", if that is meant.", key: key)
    }
  }
}

/// The names that the steps of a flow declare.
private struct UsedNames {
  var read: Set<String> = []
  var declared: Set<String> = []
}

extension Validation {
  /// The strings that conditions compare with each key.
  var comparedTexts: [String: Set<String>] {
    var found: [String: Set<String>] = [:]
    for step in blueprint.steps {
      var conditions = (step.options?.conditions ?? []).compactMap(\.flowCase)
      if case .cases(let cases) = step.kind { conditions += cases.branches.map(\.condition) }
      for condition in conditions {
        if let key = condition.key {
          found[key, default: []].formUnion(condition.values.compactMap { $0.value as? String })
        }
      }
    }
    return found
  }
}

extension String {
  /// Returns the name that is most like this string, if at most two letters differ, and not all of them.
  fileprivate func nearest(among names: Set<String>) -> String? {
    let near = names.map { (name: $0, distance: distance(to: $0)) }.filter { $0.distance <= 2 && $0.distance < count }
    return near.min { ($0.distance, $0.name) < ($1.distance, $1.name) }?.name
  }

  /// Returns the number of letters to add, remove or replace to get another string.
  private func distance(to other: String) -> Int {
    if abs(count - other.count) > 2 { return 3 }
    let letters = Array(other)
    var row = Array(0...letters.count)
    for (index, letter) in self.enumerated() {
      var (diagonal, left) = (index, index + 1)
      for column in letters.indices {
        let best = Swift.min(diagonal + (letter == letters[column] ? 0 : 1), row[column + 1] + 1, left + 1)
        (diagonal, row[column], left) = (row[column + 1], left, best)
      }
      row[letters.count] = left
    }
    return row[letters.count]
  }
}
