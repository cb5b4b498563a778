import OperationFlow

// The last four parameters of each function are the place of the call, which a failure shows: leave them out.

extension FlowOutcome {
  /// Throws unless the run succeeded.
  ///
  /// - Parameters:
  ///   - fileID: The file of the call.
  ///   - filePath: The path of that file.
  ///   - line: The line of the call.
  ///   - column: The column of the call.
  /// - Returns: The report of the run.
  /// - Throws: ``FlowMismatch`` with the run's error and its summary.
  @discardableResult
  public func expectSuccess(
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
  ) throws -> FlowReport {
    if case .succeeded(let report) = self { return report }
    throw mismatch(CallSite(fileID, filePath, line, column), "The flow should have succeeded.")
  }

  /// Throws unless the run was cancelled.
  ///
  /// - Parameters:
  ///   - fileID: The file of the call.
  ///   - filePath: The path of that file.
  ///   - line: The line of the call.
  ///   - column: The column of the call.
  /// - Returns: The report of the run.
  /// - Throws: ``FlowMismatch`` with how the run ended and its summary.
  @discardableResult
  public func expectCancelled(
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
  ) throws -> FlowReport {
    if case .cancelled(let report) = self { return report }
    throw mismatch(CallSite(fileID, filePath, line, column), "The flow should have been cancelled.")
  }

  /// Throws unless the run failed, in a certain step if one is given.
  ///
  /// - Parameters:
  ///   - step: The name or the path of the step that should have failed, or of the group of the item.
  ///   - fileID: The file of the call.
  ///   - filePath: The path of that file.
  ///   - line: The line of the call.
  ///   - column: The column of the call.
  /// - Returns: The error of the run.
  /// - Throws: ``FlowMismatch`` with how the run ended and its summary.
  @discardableResult
  public func expectFailure(
    in step: String? = nil, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
    column: Int = #column
  ) throws -> any Error {
    try failure(in: step, "", CallSite(fileID, filePath, line, column))
  }

  /// Throws unless the run failed with an error of a type, in a certain step if one is given.
  ///
  /// - Parameters:
  ///   - type: The type of the error; `FlowError.self`, or one of your own.
  ///   - step: The name or the path of the step that should have failed, or of the group of the item.
  ///   - fileID: The file of the call.
  ///   - filePath: The path of that file.
  ///   - line: The line of the call.
  ///   - column: The column of the call.
  /// - Returns: The error, for a closer look.
  /// - Throws: ``FlowMismatch`` with how the run ended and its summary.
  @discardableResult
  public func expectFailure<Failure: Error>(
    of type: Failure.Type, in step: String? = nil, fileID: String = #fileID, filePath: String = #filePath,
    line: Int = #line, column: Int = #column
  ) throws -> Failure {
    let site = CallSite(fileID, filePath, line, column)
    let error = try failure(in: step, " with a \(type)", site)
    guard let error = error as? Failure else {
      throw mismatch(site, "The flow should have failed with a \(type), not with a \(Swift.type(of: error)).")
    }
    return error
  }

  private func failure(in step: String?, _ what: String, _ site: CallSite) throws -> any Error {
    guard case .failed(let error, let report) = self else {
      throw mismatch(site, "The flow should have failed\(what)\(step.map { " in \($0)" } ?? "").")
    }
    let path = report.failure?.path
    // The path alone isn't enough if a name looks like a part of a path.
    let name = report.steps.first { $0.path == path }?.name
    if let step, !(path?.isMeant(by: step, name: name) ?? false) {
      throw mismatch(
        site, "The flow should have failed in \(step), not in \(report.failure?.path?.description ?? "no step").")
    }
    return error
  }

  private func mismatch(_ site: CallSite, _ problem: String) -> FlowMismatch {
    let end =
      switch self {
      case .succeeded: "It succeeded."
      case .failed(let error, _): "It failed with \(error)."
      case .cancelled(let report): "It was \(report.cancellation?.description ?? "cancelled")."
      }
    return FlowMismatch(report, site, "\(problem) \(end)")
  }
}
