import Flow_iOS
import TestSupport
import Testing

@MainActor
@Suite(.watched) struct Swift5ClientTests {
  private func login(data: [String: Any]) async -> (Flow, LoginController) {
    let controller = LoginController()
    let flow = await withCheckedContinuation { continuation in
      controller.didFinish = { flow in continuation.resume(returning: flow) }
      controller.login(data: data)
    }
    return (flow, controller)
  }

  private func finished(_ build: (@escaping FlowDidFinishBlock) -> Flow) async -> Flow {
    await withCheckedContinuation { continuation in
      build { flow in continuation.resume(returning: flow) }.start()
    }
  }

  @Test func `a login runs from a dictionary of Any, with blocks that are composed and stored`() async {
    let (flow, controller) = await login(data: ["email": "a@b.c", "password": "123456"])
    #expect(controller.texts == ["starting", "welcome a@b.c"])
    #expect(flow.dataBucket["token"] as? String == "t-1")
    #expect(controller.summary == flow.generateSummary())
  }

  @Test func `a login with an integer for a password fails and says so`() async {
    let (flow, controller) = await login(data: ["email": "a@b.c", "password": 123456])
    #expect(controller.texts == ["starting", "failed"])
    #expect(
      flow.generateSummary().contains(
        "[LoginOp] DidFinish: withMismatchInputDataType: "
          + "<password> in data bucket is <redacted> with type <Int>, but NOT type <String>."))
  }

  @Test func `a repository hands objects to a closure that is not sendable`() async {
    let repository = PhotoRepository.shared
    let titles = await withCheckedContinuation { continuation in
      repository.loadPhotos { photos, _ in continuation.resume(returning: photos.map(\.title)) }
    }
    #expect(titles == ["a", "b"])
    #expect(repository.loadCount == 1)
  }

  @Test func `objects, closures and nested dictionaries come out of the bucket as they went in`() async {
    var titles: [String] = []
    let flow = await finished { renaming(notify: { titles = $0.map(\.title) }, didFinish: $0) }
    #expect(flow.isSuccess)
    #expect(titles == ["a!", "b!"])
    #expect((flow.dataBucket["cover"] as? Photo)?.title == "a!")
    #expect((flow.dataBucket["copy"] as? Photo)?.title == "kept")
    #expect((flow.dataBucket["mixed"] as? [Any])?.count == 3)
  }

  @Test func `a mixed array is uploaded and its failure is left out`() async {
    let flow = await finished { grouped(didFinish: $0) }
    #expect(flow.isSuccess)
    #expect(flow.dataBucket["urls"] as? [String] == ["url_of_a", "url_of_b", "url_of_c", "url_of_d"])
  }

  @Test func `the case that fits is run, with a case in a variable`() async {
    let summary = await finished { cases(didFinish: $0) }.generateSummary()
    #expect(["Step1", "Step2B", "Step3"].allSatisfy(summary.contains))
    #expect(!summary.contains("Step2A"))
  }

  @Test func `the bucket is a dictionary of Any`() {
    let bucket = bucketByHand().dataBucket
    #expect(bucket["count"] as? Int == 2)
    #expect((bucket["photo"] as? Photo)?.title == "p")
    #expect((bucket["photo2"] as? Photo)?.title == "q")
    #expect((bucket["list"] as? [Any])?.count == 2)
    #expect((bucket["anything"] as? [Any])?.first as? String == "a")
    #expect(bucket["date"] is Date)
    #expect(bucket["merged"] as? Bool == true)
  }

  @Test func `an operation's state has the predecessor's cases`() async {
    let op = LoginOp()
    #expect(describe(op.state) == "idle")
    _ = await finished { Flow().add(operation: op).setDidFinishBlock(block: $0) }
    #expect(describe(op.state) == "can't find <email> in data bucket")
  }
}
