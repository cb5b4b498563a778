import OperationFlow

/// Collects the results of a group's items: counts and records the failures, and collects the outputs.
///
/// The results are in the library's own member of the data, as `items`: `{index, value}` for an item that has
/// succeeded, `{index, failure}` for one that has failed. An item whose result is `null` or absent has failed without a
/// reason.
struct GroupSettling {
  private let runner: TaskRunner

  init(_ runner: TaskRunner) { self.runner = runner }

  /// Returns the data after the group.
  func settled(_ task: FlowTask, _ members: [String: [UInt8]]) throws(FlowTaskFailure) -> [UInt8] {
    guard let group = runner.group(at: FlowPath(task.step)), let input = group.input else {
      throw .notATask("\(task.step) is no group")
    }
    var own = members[DataPath.reserved].flatMap(RawJSON.knownMembers) ?? [:]
    guard let results = own["items"].flatMap(RawJSON.knownElements) else { throw .notATask("it has no results") }
    let items = members[input].flatMap(RawJSON.knownElements) ?? []
    // Steps that always run are never undone. The task of such a group contains the ending of the run.
    let hasUndo = group.hasUndo && task.error == nil
    let collected = Collected(results, count: max(items.count, results.count))
    own["items"] = nil
    if hasUndo, !collected.successes.isEmpty {
      own["done"] = Self.done(task.step, collected, items, before: own["done"])
    }
    if !collected.failures.isEmpty {
      var failures = own["failures"].flatMap(RawJSON.knownMembers) ?? [:]
      failures[task.step] = RawJSON.array(collected.failures.map(\.json))
      own["failures"] = RawJSON.object(failures)
    }
    var members = members
    let tolerated = group.tolerance.failureCount(of: collected.count)
    if let first = collected.failures.first, collected.failures.count > tolerated {
      let cause =
        "\(task.step): \(collected.failures.count) of \(collected.count) items failed, \(tolerated) tolerated. "
        + "The first was \(first.index.itemNumber): \(first.cause)"
      // The completed items have to be recorded before they are undone, so the group fails in the next state.
      guard hasUndo else { throw FlowTaskFailure(cause: cause, mayBeRetried: false) }
      own["error"] = RawJSON.object([
        "Error": RawJSON.quoted(FlowTaskFailure.failedName), "Cause": RawJSON.quoted(cause),
      ])
    } else if let output = group.output {
      members[output] = RawJSON.array(collected.values.map(\.value))
    }
    members[DataPath.reserved] = RawJSON.object(own)
    return RawJSON.object(members)
  }

  /// Returns the entry of a group in the list of completed steps, with its items in the order of their undos.
  private static func done(
    _ step: String, _ collected: Collected, _ items: [[UInt8]], before: [UInt8]?
  ) -> [UInt8] {
    let undoable = collected.successes.reversed().map { index, value in
      RawJSON.object([
        "index": Array(String(index).utf8), "item": items.indices.contains(index) ? items[index] : Array("null".utf8),
        "output": value ?? Array("null".utf8),
      ])
    }
    return RawJSON.object([
      "step": RawJSON.quoted(step), "items": RawJSON.array(undoable), "before": before ?? Array("{}".utf8),
    ])
  }

  /// The results of a group's items, in order.
  private struct Collected {
    struct Failure {
      let index: Int
      let error: String
      let cause: String

      var json: [UInt8] {
        RawJSON.object([
          "index": Array(String(index).utf8), "error": RawJSON.quoted(error), "cause": RawJSON.quoted(cause),
        ])
      }
    }

    let count: Int
    var failures: [Failure] = []
    var successes: [(index: Int, value: [UInt8]?)] = []
    var values: [(index: Int, value: [UInt8])] { successes.compactMap { index, value in value.map { (index, $0) } } }

    init(_ results: [[UInt8]], count: Int) {
      self.count = count
      var found: [Int: [String: [UInt8]]] = [:]
      for result in results {
        guard let members = RawJSON.knownMembers(result), let index = members["index"].flatMap(RawJSON.integer) else {
          continue
        }
        found[index] = members
      }
      for index in 0..<count {
        let failure = found[index]?["failure"].flatMap(RawJSON.knownMembers)
        if let members = found[index], failure == nil {
          successes.append((index, members["value"]))
        } else {
          failures.append(
            Failure(
              index: index, error: failure?["Error"].flatMap(RawJSON.text) ?? "OperationFlow.NoResult",
              cause: failure?["Cause"].flatMap(RawJSON.text) ?? "it has no result"))
        }
      }
    }
  }
}
