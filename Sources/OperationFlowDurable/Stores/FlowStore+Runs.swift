import Foundation
import OperationFlow

extension FlowStore {
  /// Returns all runs that have begun, in the order of their identifiers, without the code of their flows.
  ///
  /// ```swift
  /// for run in try await FileFlowStore(folder: folder).runs() { print(run.id, run.flowName, run.state) }
  /// ```
  /// For a ``FileFlowStore``, it reads only the beginnings and the ends of the files, on a thread that may wait for
  /// them. So a run that has written much needs no more time than others. The result contains a run that is under way,
  /// in this process or in another one. It also contains a run whose journal can't be read, with its error: such a run
  /// hides no other.
  ///
  /// - Returns: The runs.
  /// - Throws: `FlowError` if the store can't list its journals.
  public func runs() async throws -> [FlowStoredRun] { try await FileWork.perform { try listRuns() } }

  /// Returns one run, as ``runs()`` does.
  ///
  /// - Parameter id: The identifier of the run.
  /// - Returns: The run; `nil` if no run with that identifier has begun.
  /// - Throws: Nothing of its own: a journal that can't be read is the state of its run.
  public func storedRun(_ id: String) async throws -> FlowStoredRun? {
    if id.isEmpty || Mailbox.isReserved(id) { return nil }
    return try await FileWork.perform { try look(at: id) }
  }

  /// Returns all runs; call it on a thread that may wait for files.
  func listRuns() throws -> [FlowStoredRun] {
    var runs = try runIDs().filter { !Mailbox.isReserved($0) }.compactMap { try look(at: $0) }
    runs += try unreadableRuns().map { FlowStoredRun(unreadable: $0.id, $0.error ?? .unreadableEntry) }
    return runs.sorted { $0.id < $1.id }
  }

  /// Returns a run as its journal shows it; `nil` if the run has not begun.
  private func look(at id: String) throws -> FlowStoredRun? {
    do { return try FlowStoredRun(id, in: self) } catch { return FlowStoredRun(unreadable: id, .storeError(error)) }
  }
}
