import Foundation
import OperationFlow
import OperationFlowDurable
import TestSupport
import Testing

@Suite(.watched) struct StoreConformanceTests {
  @Test func `a store of a user's own, with tables, conforms`() async throws {
    let database = Database()
    try await TableStore(database).expectConformance { TableStore(database) }
    let outcome = await Flow("Tables").add("one") { $0["one"] = 1 }.run(id: "a", in: TableStore(database))
    #expect(outcome.isSuccess)
    let again = await Flow("Tables").add("one") { $0["one"] = 1 }.run(id: "a", in: TableStore(database))
    #expect(again.isSuccess && again.report.data["one"] != nil)
  }

  @Test func `a store in memory conforms`() async throws {
    let store = MemoryFlowStore(["other": [Data([1])]])
    try await store.expectConformance()
    #expect(store.journals == ["other": [Data([1])]])
  }

  @Test func `a store of files conforms, and leaves none`() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("conformance-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try await FileFlowStore(folder: folder).expectConformance { FileFlowStore(folder: folder) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }

  @Test(arguments: BrokenStore.Fault.allCases)
  func `a store that does one thing wrong doesn't conform`(fault: BrokenStore.Fault) async throws {
    let store = BrokenStore(fault)
    let line = #line + 1
    let error = await #expect(throws: FlowStoreMismatch.self) { try await store.expectConformance() }
    #expect(error?.line == line && error?.filePath == #filePath)
    #expect(error?.description.hasPrefix("OperationFlowDurableTests/StoreConformanceTests.swift:\(line): ") == true)
    #expect(error?.problem.isEmpty == false)
  }
}
