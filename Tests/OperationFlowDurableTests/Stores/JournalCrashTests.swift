import Foundation
import OperationFlow
import OperationFlowDurable
import OperationFlowStorage
import TestSupport
import Testing

/// Journals on a disk that fails, while processes and the power end at any moment.
///
/// `OPERATIONFLOW_EFFORT` changes the number of random cases. `OPERATIONFLOW_SEED` is the first seed.
@Suite(.watched) struct JournalCrashTests {
  private static let folder = URL(fileURLWithPath: "/runs")

  /// Performs every operation of a journal, in one process.
  private func script(_ store: FileFlowStore, _ model: inout JournalModel) async throws {
    let journal = try store.openJournal(of: "a").journal
    defer { journal.close() }
    var next = 0
    func append(_ count: Int) throws {
      for entry in entries(next..<next + count) { try model.append(entry) { try journal.append(entry) } }
      next += count
    }
    try append(3)
    try await model.synchronize { try await journal.synchronize() }
    try append(4)
    try await model.replace(first: 5, with: entries(100..<102)) {
      try await journal.replaceEntries(first: 5, with: entries(100..<102))
    }
    try append(3)
    try await model.synchronize { try await journal.synchronize() }
    try append(2)
  }

  @Test(arguments: [true, false])
  func `after a crash at any operation, the entries are a beginning with all that is safe`(
    isPowerFailure: Bool
  ) async throws {
    let whole = SimulatedDisk(seed: 1)
    var model = JournalModel()
    try await script(FileFlowStore(folder: Self.folder, disk: whole), &model)
    #expect(whole.operationCount > 25)
    for last in 1...whole.operationCount {
      for seed in 0..<20 as Range<UInt64> {
        let disk = SimulatedDisk(seed: seed, lastOperation: last)
        var model = JournalModel()
        do { try await script(FileFlowStore(folder: Self.folder, disk: disk), &model) } catch {}
        let store = FileFlowStore(
          folder: Self.folder, disk: disk.restarted(afterPowerFailure: isPowerFailure))
        let read = try store.readJournal(of: "a") ?? []
        let opened = try store.openJournal(of: "a")
        let (journal, found) = (opened.journal, opened.entries)
        #expect(read == found)
        guard model.allows(found, afterPowerFailure: isPowerFailure) else {
          throw TestError(name: "operation \(last), seed \(seed): \(found.count) entries were found of \(model)")
        }
        // The journal can be continued, and nothing unfinished is left.
        try journal.append(Data("next".utf8))
        try await journal.synchronize()
        journal.close()
        #expect(try store.readJournal(of: "a") == found + [Data("next".utf8)])
        #expect(try store.runIDs() == ["a"])
      }
    }
  }

  @Test func `on a disk that fails at random, no entry is ever wrong, and none that is safe is lost`() async throws {
    let first = TestSettings.firstSeed()
    // With this seed, the folder of a new journal is not synchronized, and the power fails later.
    try await runRandomly(957_013_066_424)
    for seed in first..<first + UInt64(TestSettings.amount(20)) {
      try await runRandomly(seed)
    }
  }

  /// Runs several processes, one after the other, on one disk.
  private func runRandomly(_ seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    var (disk, model, next) = (SimulatedDisk(seed: seed), JournalModel(), 0)
    for process in 0..<6 {
      let isPowerFailure = generator.oneIn(2)
      let faults = SimulatedDisk.Faults(
        full: generator.oneIn(2) ? 12 : nil, broken: generator.oneIn(2) ? 15 : nil, short: generator.oneIn(2) ? 4 : nil,
        interrupted: generator.oneIn(3) ? 3 : nil, refusal: generator.oneIn(3) ? ENOTSUP : nil)
      let last = generator.oneIn(3) ? nil : 1 + generator.below(60)
      disk = disk.restarted(afterPowerFailure: isPowerFailure && process > 0, faults: faults, lastOperation: last)
      let store = FileFlowStore(folder: Self.folder, disk: disk)
      var isFound = false
      for _ in 0..<3 where !disk.hasEnded {
        let opened: FlowOpenJournal
        do { opened = try store.openJournal(of: "a") } catch {
          #expect((error as? FlowError)?.code == .storeFailed, "seed \(seed)")
          continue
        }
        let entries = opened.entries
        guard model.allows(entries, afterPowerFailure: isPowerFailure && !isFound) else {
          throw TestError(name: "seed \(seed), process \(process): \(entries.count) entries were found of \(model)")
        }
        model.found(entries, afterPowerFailure: isPowerFailure && !isFound)
        isFound = true
        try? await work(opened.journal, &model, &next, &generator)
        opened.journal.close()
      }
      if !isFound { return }
    }
  }

  /// Performs random operations, until one of them makes the journal unusable.
  private func work(
    _ journal: any FlowJournal, _ model: inout JournalModel, _ next: inout Int, _ generator: inout SeededGenerator
  ) async throws {
    for _ in 0..<generator.below(25) {
      do {
        switch generator.below(10) {
        case 0..<6:
          next += 1
          let entry = entries(next..<next + 1)[0]
          try model.append(entry) { try journal.append(entry) }
        case 6..<8: try await model.synchronize { try await journal.synchronize() }
        default:
          let count = generator.below(model.count + 1)
          next += 10
          let new = Array(entries(next..<next + generator.below(4)))
          try await model.replace(first: count, with: new) { try await journal.replaceEntries(first: count, with: new) }
        }
      } catch {
        #expect((error as? FlowError)?.code == .storeFailed)
        // The model allows one failure at a time.
        throw error
      }
    }
  }

  // MARK: Single faults

  @Test func `an append that fails leaves the journal as it was, and the next one works`() async throws {
    let disk = SimulatedDisk(seed: 1, faults: .init(full: 3, short: 2))
    let store = FileFlowStore(folder: Self.folder, disk: disk)
    var opened: FlowOpenJournal?
    while opened == nil { opened = try? store.openJournal(of: "a") }
    let journal = try #require(opened).journal
    var (written, failureCount) = ([Data](), 0)
    var size = disk.contents(of: "/runs/a.journal")?.count
    for entry in entries(0..<200) {
      do {
        try journal.append(entry)
        written.append(entry)
        size = disk.contents(of: "/runs/a.journal")?.count
      } catch let error as FlowError {
        failureCount += 1
        #expect(error.code == .storeFailed && error.problem.contains("No space left on device"))
        #expect(error.remedy.hasPrefix("Free space on its disk"))
      }
      // The written part of an entry that failed is cut off.
      #expect(disk.contents(of: "/runs/a.journal")?.count == size)
    }
    #expect(failureCount > 10 && written.count > 10)
    #expect(try store.readJournal(of: "a") == written)
    let next = FileFlowStore(folder: Self.folder, disk: disk.restarted(afterPowerFailure: false))
    let again = try next.openJournal(of: "a")
    #expect(again.entries == written && again.repair == nil)
  }

  @Test func `a journal that can't be made leaves nothing in the folder`() throws {
    var failureCount = 0
    for seed: UInt64 in 0..<50 {
      let disk = SimulatedDisk(seed: seed, faults: .init(full: 2))
      guard (try? FileFlowStore(folder: Self.folder, disk: disk).openJournal(of: "a")) == nil else { continue }
      failureCount += 1
      let names = (try? disk.names(in: Self.folder.path)) ?? []
      #expect(!names.contains { $0.hasSuffix(".new") }, "\(names) after the seed \(seed)")
    }
    #expect(failureCount > 5)
  }

  @Test func `after a failed wait nothing is written, and the next opening writes everything again`() async throws {
    let disk = SimulatedDisk(seed: 1)
    let store = FileFlowStore(folder: Self.folder, disk: disk)
    let journal = try store.openJournal(of: "a").journal
    for entry in entries(0..<10) { try journal.append(entry) }
    disk.setFaults(.init(broken: 1))
    let failed = await #expect(throws: FlowError.self) { try await journal.synchronize() }
    #expect(failed?.code == .storeFailed)
    disk.setFaults(.init())
    #expect(throws: FlowError.self) { try journal.append(Data()) }
    await #expect(throws: FlowError.self) { try await journal.synchronize() }
    await #expect(throws: FlowError.self) { try await journal.replaceEntries(first: 0, with: []) }
    journal.close()
    let again = try store.openJournal(of: "a")
    #expect(again.entries == entries(0..<10))
    try await again.journal.synchronize()
    again.journal.close()
    let next = FileFlowStore(folder: Self.folder, disk: disk.restarted(afterPowerFailure: true))
    #expect(try next.openJournal(of: "a").entries == entries(0..<10))
  }

  @Test func `entries that cannot be replaced stay, and so do those that are appended after that`() async throws {
    let disk = SimulatedDisk(seed: 1)
    let store = FileFlowStore(folder: Self.folder, disk: disk)
    let journal = try store.openJournal(of: "a").journal
    for entry in entries(0..<10) { try journal.append(entry) }
    disk.setFaults(.init(full: 1))
    await #expect(throws: FlowError.self) { try await journal.replaceEntries(first: 5, with: entries(50..<60)) }
    disk.setFaults(.init())
    try journal.append(entries(10..<11)[0])
    #expect(try store.readJournal(of: "a") == entries(0..<11))
    #expect(try Set(disk.names(in: "/runs")) == ["a.journal", "a.lock"])
  }

  @Test func `what is appended while entries are replaced comes after the new ones`() async throws {
    let opened = Locked<(any FlowJournal)?>(nil)
    let disk = SimulatedDisk(seed: 1) { operation, path in
      guard operation == "synchronize", path.hasSuffix(".new"), let journal = opened.withLock({ $0 }) else { return }
      for entry in entries(20..<25) { try? journal.append(entry) }
    }
    let store = FileFlowStore(folder: Self.folder, disk: disk)
    let journal = try store.openJournal(of: "a").journal
    for entry in entries(0..<12) { try journal.append(entry) }
    opened.withLock { $0 = journal }
    try await journal.replaceEntries(first: 10, with: entries(50..<52))
    opened.withLock { $0 = nil }
    let all = entries(50..<52) + entries(10..<12) + entries(20..<25)
    #expect(try store.readJournal(of: "a") == all)
    try journal.append(Data([1]))
    try await journal.synchronize()
    let next = FileFlowStore(folder: Self.folder, disk: disk.restarted(afterPowerFailure: true))
    #expect(try next.openJournal(of: "a").entries == all + [Data([1])])
  }
}
