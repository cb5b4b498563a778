import OperationFlow
import TestSupport
import Testing

@testable import OperationFlowStepFunctions

@Suite(.watched) struct AlwaysGroupTests {
  @Test(arguments: [false, true])
  func `a group that always runs, tolerates failures and has an undo fails as it does here`(failsBefore: Bool)
    async throws
  {
    func make(_ lines: Journal<String>) -> Flow {
      Flow("A").set(.numbers, to: [1, 2, 3])
        .add("first", .writesNothing) { _ in if failsBefore { throw TestError(name: "first") } }
        .always {
          $0.forEach(.numbers, width: 1, tolerating: .failures(1), .named("clean"), .undo { _ in }) { number, _ in
            if number > 1 { throw TestError(name: "clean") }
          }.add("after", .writesNothing) { _ in lines.append("after") }
        }
        .always("Last") { $0.add("last", .writesNothing) { lines.append("last \($0.ending?.isSuccess == true)") } }
    }
    let (here, there) = (Journal<String>(), Journal<String>())
    let outcome = await make(here).run()
    let run = try await ExportedRun(make(there))
    #expect(here.entries == ["last false"] && there.entries == here.entries)
    #expect("\(outcome.error as Any)".contains(failsBefore ? "first" : "clean"))
    // The first error of a run stays its error.
    #expect(run.failure?.cause.contains(failsBefore ? "TestError(first)" : "TestError(clean)") == true)
  }
}
