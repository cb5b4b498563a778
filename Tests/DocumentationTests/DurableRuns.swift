import Foundation
import OperationFlow
import TestSupport
import Testing

extension FlowKey where Value == [String] {
  static var parcels: Self { "parcels" }
  static var receipts: Self { "receipts" }
}

func deliver(_ parcel: String, key: String) async throws -> String { parcel + "!" }
func encrypt(_ data: Data) throws -> Data { Data(data.reversed()) }
func decrypt(_ data: Data) throws -> Data { Data(data.reversed()) }

extension FlowKey where Value == FileHandle {
  static var logFile: Self { FlowKey("logFile", isStored: false) }
}

enum DurableRuns {
  static func run(in directory: URL) async -> FlowOutcome {
    let store = FileFlowStore(folder: directory)
    let outcome = await Flow("Delivery")
      .set(.parcels, to: ["one", "two", "three"])
      .forEach(.parcels, into: .receipts, width: 3) { parcel, context in
        try await deliver(parcel, key: context.idempotencyKey)
      }
      .run(id: "delivery-42", in: store)
    return outcome
  }

  static func list(in directory: URL, print: Printer) async throws {
    for run in try await FileFlowStore(folder: directory).unfinished() {
      print("\(run.id): \(run.settledItemCount) items since \(run.since)")
    }
  }

  static func seal(_ flow: Flow, in directory: URL) async -> FlowOutcome {
    let outcome = await flow.run(
      id: "delivery-42", in: FileFlowStore(folder: directory),
      sealing: FlowSealing(seal: { try encrypt($0) }, open: { try decrypt($0) }))
    return outcome
  }
}

@Suite(.watched) struct DurableRunsTests {
  @Test func `the same call starts a run and returns how it ended`() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("DurableRuns-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    for _ in 0..<2 {
      #expect(await DurableRuns.run(in: folder).report[.receipts] == ["one!", "two!", "three!"])
    }
    try await DurableRuns.list(in: folder, print: Printer())
    #expect(await DurableRuns.seal(Flow("Delivery"), in: folder).isSuccess)
  }
}
