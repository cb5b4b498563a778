import Foundation
import OperationFlow
import OperationFlowStepFunctions
import TestSupport
import Testing

@Suite(.long) struct RandomExportTests {
  @Test(arguments: 0..<4) func `random flows do there what they do here`(part: Int) async throws {
    for seed in (part * 100)..<(part * 100 + 100) {
      let (here, there) = (Journal<String>(), Journal<String>())
      var (local, exported) = (RandomExport(seed: UInt64(seed), here), RandomExport(seed: UInt64(seed), there))
      let outcome = await local.make().run()
      let run = try await ExportedRun(exported.make())
      #expect(outcome.isSuccess == (run.failure == nil), "seed \(seed): \(outcome.error as Any) \(run.result)")
      if outcome.isSuccess {
        let values = try Value(try Flow("values").executionInput(with: outcome.report.data)).members
        #expect(values == run.values, "seed \(seed)")
      } else if let error = outcome.error as? TestError {
        #expect(run.failure?.cause.contains("\(error)") == true, "seed \(seed): \(error) \(run.result)")
      }
      let isOrdered = !local.hasParallel
      #expect(
        (isOrdered ? here.entries : here.entries.sorted()) == (isOrdered ? there.entries : there.entries.sorted()),
        "seed \(seed)")
    }
  }
}
