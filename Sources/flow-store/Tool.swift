import Foundation
import OperationFlow
import OperationFlowDurable

/// Runs one command.
struct Tool: Sendable {
  let console: Console

  /// Runs a command line.
  ///
  /// - Parameter arguments: The folder, the command, and its arguments.
  /// - Returns: The code to exit with.
  func run(_ arguments: [String]) async -> ExitCode {
    do {
      // These words are options only in places without a value, because an id may be any text.
      if ["--help", "-h", "help"].contains(arguments.first) || ["--help", "-h"].contains(arguments.dropFirst().first) {
        console.print(Help.text)
        return .done
      }
      guard let folder = arguments.first, !folder.isEmpty else {
        throw Refusal.usage("No folder is given.", "Say flow-store FOLDER list.")
      }
      let command = try Command(Array(arguments.dropFirst()))
      return try await run(command, in: try store(folder))
    } catch let refusal as Refusal {
      return report(refusal.problem, refusal.remedy, refusal.code)
    } catch {
      let error = error as? FlowError ?? .storeFailed("\(error)", remedy: "See to the folder and its disk.")
      return report(error.problem + ".", error.remedy, ExitCode(error))
    }
  }

  private func report(_ problem: String, _ remedy: String, _ code: ExitCode) -> ExitCode {
    console.report("flow-store: \(LineText.escaped(problem)) \(LineText.escaped(remedy))")
    return code
  }

  /// Returns the store of a folder; throws if the folder doesn't exist, because the store would make it.
  private func store(_ path: String) throws(Refusal) -> FileFlowStore {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue else {
      throw Refusal(
        code: .storeUnusable, problem: "There is no folder \(path).",
        remedy: "Name the folder that the program gives its FileFlowStore.")
    }
    return FileFlowStore(folder: URL(fileURLWithPath: path, isDirectory: true))
  }

  private func run(_ command: Command, in store: FileFlowStore) async throws -> ExitCode {
    switch command {
    case .list(let filter, let flow, let isJSON):
      let runs = try await store.runs().filter { filter.includes($0) && (flow == nil || flow == $0.flowName) }
      if isJSON { console.print(try RunDescription.json(runs.map(RunDescription.init))) } else { list(runs) }
    case .show(let id, let isJSON): return try await show(try await found(id, in: store), in: store, isJSON)
    case .page(let id, let file): return try await page(try await found(id, in: store), in: store, to: file)
    case .pages(let filter, let flow, let limit, let folder):
      let runs = try await store.runs().filter { filter.includes($0) && (flow == nil || flow == $0.flowName) }
      return try await pages(of: runs, limit: limit, in: store, to: folder)
    case .send(let id, let signal, let json, let message):
      let run = try await unended(id, in: store)
      guard (try? JSONSerialization.jsonObject(with: Data(json.utf8), options: .fragmentsAllowed)) != nil else {
        throw Refusal(
          code: .invalidSignal, problem: "The value \(json) isn't JSON.",
          remedy: "Quote it for the shell, such as '\"text\"' or '{\"by\":\"ann\"}'.")
      }
      try await store.send(signal, json: Data(json.utf8), to: run.id, messageID: message ?? UUID().uuidString)
      console.print("sent \(LineText.escaped(signal)) to \(LineText.escaped(run.id))")
    case .cancel(let id):
      let run = try await unended(id, in: store)
      try await store.cancel(run.id)
      console.print("cancelled \(LineText.escaped(run.id)): it ends within a second, or when it is resumed")
    case .retry(let id):
      let run = try await found(id, in: store)
      try await store.retry(run.id)
      console.print("retried \(LineText.escaped(run.id)): it is unfinished again, and is resumed where it failed")
    case .remove(let id, let isForced, let isConfirmed):
      return try await remove(id, isForced, isConfirmed, in: store)
    case .removeEnded(let date, let isConfirmed):
      let ids = try await store.runs().filter { $0.hasEnded && $0.ended.map { $0 < date } == true }.map(\.id)
      guard isConfirmed || ids.isEmpty || isConfirmedByAnswer("Remove \(ids.count) runs?") else { return .notConfirmed }
      let removed = try await store.removeEnded(before: date)
      for id in removed { console.print("removed \(LineText.escaped(id))") }
    case .check(let isJSON): return try await check(store, isJSON)
    }
    return .done
  }

  /// Returns the run with an id, or with an id that is printed like it.
  private func found(_ id: String, in store: FileFlowStore) async throws -> FlowStoredRun {
    if let run = try await store.storedRun(id) { return run }
    if id.contains("\\") || id.contains("~"),
      let run = try await store.runs().first(where: { LineText.escaped($0.id) == id })
    {
      return run
    }
    throw Refusal(
      code: .unknownRun, problem: "There is no run \(id) in \(store.folder.path).",
      remedy: "See flow-store FOLDER list for the ids.")
  }

  /// Returns the run with an id; throws if it has ended.
  private func unended(_ id: String, in store: FileFlowStore) async throws -> FlowStoredRun {
    let run = try await found(id, in: store)
    guard run.hasEnded else { return run }
    throw Refusal(code: .hasEnded, problem: "The run \(run.id) has ended.", remedy: "Start a run under another id.")
  }

  // MARK: Removing

  private func remove(
    _ id: String, _ isForced: Bool, _ isConfirmed: Bool, in store: FileFlowStore
  ) async throws -> ExitCode {
    // A journal in which no run has begun isn't listed, and may be removed by its id.
    var known = id
    do { known = try await found(id, in: store).id } catch let refusal as Refusal where refusal.code == .unknownRun {
      guard try store.readJournal(of: id) != nil else { throw refusal }
    }
    guard isConfirmed || isConfirmedByAnswer("Remove the run \(LineText.escaped(known))?") else { return .notConfirmed }
    do { try await store.remove(known, evenIfUnfinished: isForced) } catch let error as FlowError
      where error.code == .unfinishedRun
    {
      throw Refusal(
        code: .hasNotEnded, problem: "The run \(known) has not ended.",
        remedy: "Wait until it has, or give --even-if-unfinished, which undoes nothing.")
    }
    console.print("removed \(LineText.escaped(known))")
    return .done
  }

  private func isConfirmedByAnswer(_ question: String) -> Bool {
    console.report("\(question) [y/N]")
    if ["y", "yes"].contains(console.answer()?.lowercased()) { return true }
    console.report("flow-store: Nothing was removed. Answer y, or give --yes.")
    return false
  }

  // MARK: Checking

  private func check(_ store: FileFlowStore, _ isJSON: Bool) async throws -> ExitCode {
    let check = try await store.check()
    if isJSON {
      console.print(try RunDescription.json(CheckDescription(check)))
    } else {
      for problem in check.problems {
        let error = problem.error
        console.print("\(LineText.escaped(problem.id)): \(LineText.escaped("\(error.problem). \(error.remedy)"))")
      }
      let damage = check.problems.isEmpty ? "no damage" : "\(check.problems.count) damaged"
      console.print("\(check.runCount) journals and \(check.mailboxCount) mailboxes read, \(damage)")
    }
    return check.problems.isEmpty ? .done : .damageFound
  }
}

extension Command.Filter {
  /// Returns true if a run is listed.
  func includes(_ run: FlowStoredRun) -> Bool {
    switch (self, run.state) {
    case (.all, _), (.waiting, .waiting), (.failed, .failed): true
    case (.unfinished, _): !run.hasEnded
    case (.waiting, _), (.failed, _): false
    }
  }
}
