import Foundation
import OperationFlow
import OperationFlowDurable
import OperationFlowReports

extension Tool {
  /// Writes the page of a run.
  func page(_ run: FlowStoredRun, in store: FileFlowStore, to file: String) async throws -> ExitCode {
    if case .unreadable(let error) = run.state { throw error }
    guard let record = try await store.record(of: run.id) else {
      throw Refusal(code: .unknownRun, problem: "The run \(run.id) was removed.", remedy: "See the list.")
    }
    try write(record.record.page, to: file)
    console.print("wrote \(LineText.escaped(file))")
    return .done
  }

  /// Writes the index of runs, and the page of each that can be read.
  func pages(of runs: [FlowStoredRun], limit: Int, in store: FileFlowStore, to folder: String) async throws -> ExitCode
  {
    let newest = runs.sorted { ($0.began ?? .distantPast, $0.id) > ($1.began ?? .distantPast, $1.id) }.prefix(limit)
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    } catch {
      throw Self.unwritable(folder, error)
    }
    var listed: [(run: FlowStoredRun, file: String?)] = []
    for run in newest {
      // A run may be damaged in its middle, or have been removed meanwhile.
      let record = try? await store.record(of: run.id)
      let file = record.map { _ in RunIndex.fileName(of: run.id) }
      if let record, let file { try write(record.record.page, to: folder + "/" + file) }
      listed.append((run, file))
    }
    let index = RunIndex(
      runs: listed, leftOutCount: runs.count - newest.count, folder: store.folder.path, made: Date())
    try write(index.text, to: folder + "/index.html")
    console.print("wrote \(LineText.escaped(folder))/index.html and \(listed.count { $0.file != nil }) pages")
    return .done
  }

  private func write(_ text: String, to file: String) throws(Refusal) {
    do { try Data(text.utf8).write(to: URL(fileURLWithPath: file), options: .atomic) } catch {
      throw Self.unwritable(file, error)
    }
  }

  private static func unwritable(_ path: String, _ error: any Error) -> Refusal {
    Refusal(
      code: .fileUnwritable, problem: "\(path) can't be written: \(ValueText.describe(error: error))",
      remedy: "Name a file or a folder in one that you may write to.")
  }
}
