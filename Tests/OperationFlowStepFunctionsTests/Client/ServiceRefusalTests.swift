import Foundation
import TestSupport
import Testing

@testable import OperationFlowStepFunctions

@Suite(.watched) struct ServiceRefusalTests {
  private let signed = Date(timeIntervalSince1970: 784_111_777)

  private func error(
    _ body: String, status: Int = 400, header: String? = nil, date: String? = nil
  ) -> StepFunctionsError {
    ServiceRefusal(body: Data(body.utf8), status: status, typeHeader: header, dateHeader: date)
      .error(action: "StartExecution", signedAt: signed)
  }

  @Test(arguments: [
    #"{"__type":"InvalidToken","message":"m"}"#, #"{"__type":"com.amazonaws.states#InvalidToken","Message":"m"}"#,
    #"{"__type":"InvalidToken:http://internal.amazon.com/coral/","message":"m"}"#,
    #"{"code":"InvalidToken","message":"m"}"#,
    "<ErrorResponse><Error><Code>InvalidToken</Code><Message>m</Message></Error></ErrorResponse>",
  ])
  func `the code and the message are found`(body: String) {
    let error = error(body)
    #expect(error.code.description == "InvalidToken" && error.message == "m" && error.saysTaskIsGone)
    #expect(error.description.hasPrefix("StartExecution: InvalidToken: m. The service no longer waits"))
  }

  @Test func `an answer without a code is told by its header or its status`() {
    #expect(error("", header: "AccessDeniedException:http://x").code.description == "AccessDeniedException")
    let unknown = error("<html>busy</html>", status: 502)
    #expect(unknown.code.description == "HTTP 502" && unknown.mayBeRetried && unknown.status == 502)
    #expect(!error("{}", status: 400).mayBeRetried)
    #expect(error(##"{"__type":"#","message":"m"}"##).code.description == "HTTP 400")
  }

  @Test(arguments: [
    // The service's clock is 20 minutes ahead, 20 minutes behind, and 4 minutes off.
    ("Sun, 06 Nov 1994 09:09:37 GMT", "20 minutes behind"), ("Sun, 06 Nov 1994 08:29:37 GMT", "20 minutes ahead of"),
    ("Sun, 06 Nov 1994 08:53:37 GMT", ""), ("yesterday", ""),
  ])
  func `a signature that is refused for the clock says how far it is off`(date: String, told: String) {
    let error = error(#"{"__type":"InvalidSignatureException","message":"m"}"#, status: 403, date: date)
    #expect((error.code == .clockSkew) == !told.isEmpty)
    #expect(error.message.contains(told) || told.isEmpty)
    #expect(error.isAboutAccess)
  }

  @Test func `a key that can't be used for a while is a matter of access, not of a clock`() {
    let error = error(
      #"{"__type":"KmsInvalidStateException","message":"m"}"#, status: 400, date: "Sun, 06 Nov 1994 09:09:37 GMT")
    #expect(error.isAboutAccess && !error.mayBeRetried && error.code.description == "KmsInvalidStateException")
    #expect(error.description.contains("encryption key"))
  }

  @Test func `a refusal that isn't about the signature says nothing of clocks`() {
    let error = error(#"{"__type":"InvalidToken","message":"m"}"#, date: "Sun, 06 Nov 1994 09:09:37 GMT")
    #expect(error.code.description == "InvalidToken")
  }
}
