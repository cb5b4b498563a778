import OperationFlow

// The last four parameters of each function are the place of the call, which a failure shows: leave them out.

extension FlowReport {
  // MARK: Steps

  /// Throws unless exactly these steps began, in the order of the flow.
  ///
  /// Only steps that do some work count: operations, closures and groups. Give each step by its name, by its path, or
  /// by its path without numbers:
  ///
  /// ```swift
  /// try report.expectPath(["LoginOp", "Cases[target=web] > ResizeOp", "notify"])
  /// ```
  /// - Parameters:
  ///   - steps: The steps that should have begun.
  ///   - fileID: The file of the call.
  ///   - filePath: The path of that file.
  ///   - line: The line of the call.
  ///   - column: The column of the call.
  /// - Returns: The report.
  /// - Throws: ``FlowMismatch`` with the steps that began, and the summary.
  @discardableResult
  public func expectPath(
    _ steps: [String], fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
    column: Int = #column
  ) throws -> FlowReport {
    let taken = self.steps.filter(\.wasTaken)
    let isSame = taken.count == steps.count && zip(taken, steps).allSatisfy { $0.path.isMeant(by: $1, name: $0.name) }
    if isSame { return self }
    // Each step is shown as the test names it, so that it is the same on both sides.
    let names = taken.map { step in
      steps.first { step.path.isMeant(by: $0, name: step.name) } ?? step.path.short
    }
    let difference = LineDifference(expected: steps, found: names)
    throw FlowMismatch(
      self, CallSite(fileID, filePath, line, column), "The flow took other steps than expected:\n\(difference)")
  }

  /// Throws unless the steps were skipped: their branches weren't chosen, or their conditions weren't met.
  ///
  /// - Parameters:
  ///   - steps: The names or the paths of the steps.
  ///   - fileID: The file of the call.
  ///   - filePath: The path of that file.
  ///   - line: The line of the call.
  ///   - column: The column of the call.
  /// - Returns: The report.
  /// - Throws: ``FlowMismatch`` with the end of the first step that wasn't skipped, and the summary.
  @discardableResult
  public func expectSkipped(
    _ steps: String..., fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
    column: Int = #column
  ) throws -> FlowReport {
    let site = CallSite(fileID, filePath, line, column)
    for place in steps {
      for step in try found(place, site) where step.end != .skipped {
        throw FlowMismatch(self, site, "\(place) should have been skipped, and \(step.end.words).")
      }
    }
    return self
  }

  /// Throws unless a step, or an item of a group, had a number of attempts.
  ///
  /// Attempts of an item are counted in the record, which has to contain the item's events.
  ///
  /// - Parameters:
  ///   - count: The number of attempts; 0 for a step that never began.
  ///   - place: The name or the path of the step, or of the group.
  ///   - item: The index of the group's item; `nil` for the step itself.
  ///   - fileID: The file of the call.
  ///   - filePath: The path of that file.
  ///   - line: The line of the call.
  ///   - column: The column of the call.
  /// - Returns: The report.
  /// - Throws: ``FlowMismatch`` with the number of attempts, and the summary.
  @discardableResult
  public func expectAttempts(
    _ count: Int, of place: String, item: Int? = nil, fileID: String = #fileID, filePath: String = #filePath,
    line: Int = #line, column: Int = #column
  ) throws -> FlowReport {
    let site = CallSite(fileID, filePath, line, column)
    for step in try found(place, site) {
      let attempts = item.map { item in
        events.filter { $0.path == step.path && $0.source.item == item }.map(\.attempt).max() ?? 0
      }
      let found = attempts ?? step.attempts
      if found == count { continue }
      let what = item.map { "\(place) \($0.itemNumber)" } ?? place
      throw FlowMismatch(self, site, "\(what) should have had \(count) attempts, and had \(found).")
    }
    return self
  }

  private func found(_ place: String, _ site: CallSite) throws -> [Step] {
    let found = steps.filter { $0.path.isMeant(by: place, name: $0.name) }
    guard found.isEmpty else { return found }
    let all = steps.map(\.path.description).joined(separator: ", ")
    throw FlowMismatch(self, site, "There is no step \(place). The flow has: \(all).")
  }

  // MARK: Data

  /// Throws unless the data bucket had a value at the end.
  ///
  /// - Parameters:
  ///   - key: The key of the value.
  ///   - value: The value, compared with `==`.
  ///   - fileID: The file of the call.
  ///   - filePath: The path of that file.
  ///   - line: The line of the call.
  ///   - column: The column of the call.
  /// - Returns: The report.
  /// - Throws: ``FlowMismatch`` with the value that the key had, and the summary.
  @discardableResult
  public func expectData<Value: Equatable>(
    _ key: FlowKey<Value>, equals value: Value, fileID: String = #fileID, filePath: String = #filePath,
    line: Int = #line, column: Int = #column
  ) throws -> FlowReport {
    let site = CallSite(fileID, filePath, line, column)
    let found = try held(key, site)
    if found == value { return self }
    throw FlowMismatch(
      self, site,
      "<\(key.name)> should be \(shown(value, key.name, key.isSensitive)), and is \(shown(found, key.name, key.isSensitive))."
    )
  }

  /// Throws unless the data bucket had a value of the key's type at the end, and returns the value.
  ///
  /// - Parameters:
  ///   - key: The key of the value.
  ///   - fileID: The file of the call.
  ///   - filePath: The path of that file.
  ///   - line: The line of the call.
  ///   - column: The column of the call.
  /// - Returns: The value.
  /// - Throws: ``FlowMismatch`` with the value that the key had, and the summary.
  @discardableResult
  public func expectData<Value>(
    _ key: FlowKey<Value>, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
    column: Int = #column
  ) throws -> Value {
    try held(key, CallSite(fileID, filePath, line, column))
  }

  /// Throws if the data bucket had a value at the end.
  ///
  /// - Parameters:
  ///   - key: The key of the value.
  ///   - fileID: The file of the call.
  ///   - filePath: The path of that file.
  ///   - line: The line of the call.
  ///   - column: The column of the call.
  /// - Returns: The report.
  /// - Throws: ``FlowMismatch`` with the value that the key had, and the summary.
  @discardableResult
  public func expectNoData<Value>(
    _ key: FlowKey<Value>, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
    column: Int = #column
  ) throws -> FlowReport {
    guard let found = data[key.name] else { return self }
    let site = CallSite(fileID, filePath, line, column)
    throw FlowMismatch(
      self, site, "<\(key.name)> should not be there, and is \(shown(found, key.name, key.isSensitive)).")
  }

  private func held<Value>(_ key: FlowKey<Value>, _ site: CallSite) throws -> Value {
    if let value = self[key] { return value }
    guard let other = data[key.name] else {
      let names = data.keys.sorted().joined(separator: ", ")
      let held = names.isEmpty ? "is empty" : "holds: \(names)"
      throw FlowMismatch(self, site, "<\(key.name)> is not in the data bucket, which \(held).")
    }
    throw FlowMismatch(
      self, site,
      "<\(key.name)> should be a \(Value.self), and is \(shown(other, key.name, key.isSensitive)), a \(type(of: other))."
    )
  }

  /// Returns the text of a value, unless the values of its name are hidden.
  private func shown(_ value: Any, _ name: String, _ isSensitive: Bool) -> String {
    isSensitive || hidesValues(of: name) ? "<redacted>" : ValueText.cut(String(reflecting: value), limit: 500)
  }

  // MARK: Summary

  /// Throws unless the summary without times equals a text.
  ///
  /// ```swift
  /// try report.expectSummary(
  ///   """
  ///   ====== Flow Summary: Publish ======
  ///   [DataBucket] start with:
  ///   …
  ///   """)
  /// ```
  /// A line that is only `…` stands for any lines, or for none. Empty lines at the end don't count.
  ///
  /// - Parameters:
  ///   - text: The text, such as the one that a failure shows.
  ///   - fileID: The file of the call.
  ///   - filePath: The path of that file.
  ///   - line: The line of the call.
  ///   - column: The column of the call.
  /// - Returns: The report.
  /// - Throws: ``FlowMismatch`` with the lines that differ.
  @discardableResult
  public func expectSummary(
    _ text: String, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
  ) throws -> FlowReport {
    let found = summary(style: .withoutTimes)
    let difference = LineDifference(expected: text.trimmedLines, found: found.trimmedLines)
    if difference.isEmpty { return self }
    throw FlowMismatch(
      self, CallSite(fileID, filePath, line, column), "The summary is not the expected one:\n\(difference)")
  }
}

extension FlowReport.Step {
  /// True if the step did some work of its own.
  fileprivate var wasTaken: Bool {
    switch (kind, end) {
    case (_, .skipped), (_, .neverRan): false
    case (.operation, _), (.closure, _), (.group, _): true
    default: false
    }
  }
}

extension String {
  /// The lines without empty ones at the end.
  fileprivate var trimmedLines: [String] {
    var lines = split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    while lines.last?.isEmpty == true { lines.removeLast() }
    return lines
  }
}
