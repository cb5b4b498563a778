import OperationFlow
import TestSupport
import Testing

private final class LengthOp: FlowOperation, @unchecked Sendable {
  @FlowInput var word: String

  override func run() async throws { log(message: word) }
}

/// Shows a promise of the article on testing that ends the process.
@Suite(.watched) struct EarlyReadTests {
  @Test func `reading a required input before the start stops the program`() async {
    await #expect(processExitsWith: .failure) { _ = LengthOp().word }
  }
}
