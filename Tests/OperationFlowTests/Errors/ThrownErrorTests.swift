import OperationFlow
import TestSupport
import Testing

/// Errors that arrive in a box within a box, as generic code throws them.
@Suite(.watched) struct ThrownErrorTests {
  private func rethrow<Failure: Error>(_ error: Failure) throws { throw error }

  @Test func `a cancellation that generic code throws is a cancellation`() async {
    let outcome = await Flow().add("step") { _ in try rethrow(CancellationError() as any Error) }.run()
    #expect(outcome.isCancelled)
  }

  @Test func `an error of the library that generic code throws has its place`() async {
    let flow = Flow("Flow").add("step") { context in
      do { _ = try context.require(FlowKey<Int>("missing")) } catch { try rethrow(error as any Error) }
    }
    let error = await flow.run().error as? FlowError
    #expect(error?.code == .missingData && error?.step?.contains("step") == true && error?.flow == "Flow")
  }
}
