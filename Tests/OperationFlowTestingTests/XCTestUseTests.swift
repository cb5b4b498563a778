import OperationFlow
import OperationFlowTesting
import XCTest

/// Uses the module with the other testing framework.
final class XCTestUseTests: XCTestCase {
  func testExpectationsOnAClockOfItsOwn() async throws {
    let clock = ManualClock()
    let flow = try publishing().replacing("LoginOp") { context in
      try await clock.sleep(for: .seconds(3600))
      context[.token] = "mine"
    }
    let report = try await flow.run(on: clock, with: given).expectSuccess()
    try report.expectData(.token, equals: "mine").expectSkipped("print")
    XCTAssertEqual(report.duration, .seconds(3600))
  }

  func testAnOperationAlone() async throws {
    let result = await LoginOp().perform(with: given)
    XCTAssertEqual(result[.token], "token of a@b.c")
  }

  func testAMismatchHasTheLine() async {
    let outcome = await publishing().run(with: ["email": "x", "photos": [String]()])
    let line = #line + 1
    XCTAssertThrowsError(try outcome.expectSuccess()) { error in
      XCTAssertEqual((error as? FlowMismatch)?.line, line)
      XCTAssertTrue(error.localizedDescription.contains("XCTestUseTests.swift:\(line)"))
    }
  }
}
