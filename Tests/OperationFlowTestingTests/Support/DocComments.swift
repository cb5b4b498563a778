import OperationFlow
import OperationFlowTesting
import TestSupport
import Testing

/// The code of the module's documentation comments.
@Suite(.watched) struct DocCommentTests {
  private struct Uploader {
    let clock: ManualClock

    func upload(_ photos: [String]) async throws -> [String] {
      for _ in photos { try await clock.sleep(for: .seconds(60)) }
      return photos
    }
  }

  @Test func `clocks`() async throws {
    let (clock, uploader, photos) = (ManualClock(), Uploader.init, ["a", "b"])
    do {
      let uploader = uploader(clock)
      let links = try await clock.lettingTimePass { try await uploader.upload(photos) }
      #expect(links == photos && clock.now.offset == .seconds(120))
    }
    do {
      func download(_ url: String) async throws -> String { "page of \(url)" }
      let url = "a"
      let page = try await clock.holdingTime { try await download(url) }
      #expect(page == "page of a" && clock.now.offset == .seconds(120))
    }
    do {
      func download(_ url: String) async throws -> String { "page of \(url)" }
      let url = "a"
      let page = try await clock.withoutHoldingTime { try await download(url) }
      #expect(page == "page of a" && clock.now.offset == .seconds(120))
    }
    let flow = Flow().add("any") { _ in }
    do {
      let outcome = await flow.run(on: ManualClock())
      #expect(outcome.isSuccess)
    }
    do {
      let clock = ManualClock()
      let outcome = await flow.run(on: clock, with: ["email": "a@b.c"])
      #expect(outcome.isSuccess && clock.now.offset == .zero)
    }
  }

  @Test func `performing`() async throws {
    do {
      let result = await LoginOp().perform(with: ["email": "a@b.c"])
      #expect(result.isSuccess)
    }
    do {
      let result = await LoginOp().perform { $0[.email] = "a@b.c" }
      #expect(result.isSuccess)
    }
    do {
      let result = try await publishing().perform("greet", with: ["email": "a@b.c"])
      #expect(result.isSuccess)
    }
    do {
      let photo = "a"
      let result = try await publishing().perform("photos", item: photo)
      #expect(result.isSuccess)
    }
  }

  @Test func `stand-ins`() async throws {
    do {
      let flow = try publishing().replacing("LoginOp") { context in context[.token] = "123" }
      #expect(await flow.run(with: given).isSuccess)
    }
    do {
      let flow = try publishing().replacingItems(of: "photos") { (photo: String, _) in "https://" + photo }
      let report = try await flow.run(with: given).expectSuccess()
      #expect(report[.links]?.first == "https://a")
    }
  }

  @Test func `faults`() async throws {
    func publishing() -> Flow { Flow().add("upload") { _ in } }
    let faults = FlowFaults(seed: 7)
      .failing("upload", attempts: 1...2)
      .delaying(share: 0.1, by: .seconds(3))
    let outcome = try await publishing().injecting(faults).run(on: ManualClock())
    try outcome.expectFailure(in: "upload")
  }

  @Test func `expectations`() async throws {
    let flow = Flow("Publish").add("LoginOp") { _ in }
      .cases(on: FlowKey("target")) { $0.when("web") { $0.add("ResizeOp") { _ in } } }.add("notify") { _ in }
    let report = await flow.run(with: ["target": "web"]).report
    try report.expectPath(["LoginOp", "Cases[target=web] > ResizeOp", "notify"])
    try report.expectSummary(
      """
      ====== Flow Summary: Publish ======
      [DataBucket] start with:
      …
      """)
  }
}
