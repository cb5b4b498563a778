import Foundation
import OperationFlow

extension FlowStore {
  /// Throws unless this store does everything that durable runs rely on.
  ///
  /// ```swift
  /// try await FileFlowStore(folder: folder).expectConformance { FileFlowStore(folder: folder) }
  /// ```
  /// It writes journals whose identifiers begin with `conformance`, and removes them at the end if all is well. It
  /// can't end the process or the power. So a store of your own also needs a test of its promises about crashes.
  ///
  /// - Parameters:
  ///   - fileID: The file of the call.
  ///   - filePath: The path of that file.
  ///   - line: The line of the call.
  ///   - column: The column of the call.
  ///   - other: A function that returns a store of the same place, as another process would have it. Without it, this
  ///     store is used.
  /// - Throws: ``FlowStoreMismatch`` with the first difference; an error of the store that isn't expected.
  public func expectConformance(
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column,
    reopening other: (@Sendable () throws -> any FlowStore)? = nil
  ) async throws {
    let check = ConformanceCheck(
      store: self, other: try other?() ?? self, site: CallSite(fileID, filePath, line, column),
      name: "conformance \(UUID().uuidString)")
    try check.checkMissing()
    try check.checkEntries()
    try check.checkHolding()
    try check.checkClosing()
    try check.checkIdentifiers()
    try await check.checkSynchronizing()
    try await check.checkReplacing()
    try await check.checkReplacingWhileAppending()
    try check.checkRemoving()
  }
}
