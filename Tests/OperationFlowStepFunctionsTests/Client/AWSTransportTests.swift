import Foundation
import TestSupport
import Testing

@testable import OperationFlowStepFunctions

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite(.watched) struct AWSTransportTests {
  private func transport(_ endpoint: URL?, region: String = "eu-central-1") throws -> AWSTransport {
    try AWSTransport(region: region, endpoint: endpoint) {
      AWSCredentials(accessKeyID: "ID", secretAccessKey: "hidden")
    }
  }

  @Test(arguments: ["ftp://127.0.0.1/", "localhost:4566", "/x", "http://host/?a=1"])
  func `an endpoint that is no server is refused`(text: String) throws {
    let url = try #require(URL(string: text))
    let error = #expect(throws: StepFunctionsError.self) { try transport(url) }
    #expect(error?.code == .invalidEndpoint)
    #expect(error?.description.contains(text) == true)
  }

  @Test func `an empty region is none`() {
    let error = #expect(throws: StepFunctionsError.self) { try transport(nil, region: "") }
    #expect(error?.code == .missingRegion)
  }

  @Test func `a server that isn't there is a clear error that may be retried`() async throws {
    // Nothing listens on the first port, which systems reserve for a service that no one runs.
    let url = try #require(URL(string: "http://127.0.0.1:1/"))
    let error = await #expect(throws: StepFunctionsError.self) {
      try await transport(url).send(StepFunctionsRequest(action: "ListActivities", body: Data("{}".utf8)))
    }
    #expect(error?.code == .connectionFailed && error?.mayBeRetried == true)
    #expect(error?.description.contains("127.0.0.1:1") == true)
    #expect(error?.description.contains("hidden") == false)
  }

  @Test func `a request that isn't answered in its time has failed`() async throws {
    let server = try SilentServer()
    let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/"))
    let request = StepFunctionsRequest(action: "ListActivities", body: Data("{}".utf8), timeout: .seconds(1))
    let error = await #expect(throws: StepFunctionsError.self) { try await transport(url).send(request) }
    #expect(error?.code == .connectionFailed)
  }

  @Test(arguments: [
    (Duration.milliseconds(10), 1), (.seconds(1), 1), (.seconds(75), 75), (.seconds(-5), 1),
    (.seconds(Int64.max), 3_155_760_000),
  ])
  func `a request is given its own time in whole seconds`(timeout: Duration, seconds: Double) async throws {
    let request = StepFunctionsRequest(action: "X", body: Data("{}".utf8), timeout: timeout)
    let sent = try await transport(nil).urlRequest(for: request, date: Date(timeIntervalSince1970: 0))
    #expect(sent.timeoutInterval == seconds)
  }

  @Test func `a request that waits for its answer ends when its task is cancelled`() async throws {
    let server = try SilentServer()
    let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/"))
    let transport = try transport(url)
    let task = Task {
      try await transport.send(StepFunctionsRequest(action: "X", body: Data("{}".utf8), timeout: .seconds(500)))
    }
    for _ in 0..<100 { await Task.yield() }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func `a task that is cancelled sends nothing more`() async throws {
    let url = try #require(URL(string: "http://127.0.0.1:1/"))
    let transport = try transport(url)
    let task = Task {
      await untilCancelled()
      return try await transport.send(StepFunctionsRequest(action: "ListActivities", body: Data("{}".utf8)))
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func `an error of the closure that gives the credentials is passed on`() async throws {
    let transport = try AWSTransport(region: "r", endpoint: URL(string: "http://127.0.0.1:1/")) {
      throw CocoaError(.fileNoSuchFile)
    }
    await #expect(throws: CocoaError.self) {
      try await transport.send(StepFunctionsRequest(action: "ListActivities", body: Data("{}".utf8)))
    }
  }
}
