import Flow_iOS
import TestSupport
import Testing

@MainActor
@Suite(.watched) struct LoginTests {
  private func login(_ email: String, _ password: String) async -> (Flow, Screen) {
    let screen = Screen()
    let flow = await withCheckedContinuation { continuation in
      screen.login(email: email, password: password) { flow in continuation.resume(returning: flow) }
    }
    return (flow, screen)
  }

  @Test func `a login hands its token to the next operation`() async {
    let (flow, screen) = await login("a@b.c", "123456")
    #expect(screen.alerts == ["welcome a@b.c"])
    #expect(flow.dataBucket["greeting"] as? String == "hello stranger of t-1")
    #expect(flow.dataBucket["loadedAt"] is Date)
    #expect(flow.lines.contains("[DataBucket] add for token: <redacted>"))
    #expect(flow.lines.contains("[LoginOp] the server has answered"))
  }

  @Test func `a refused login fails the flow with the operation's own NSError`() async {
    let (flow, screen) = await login("a@b.c", "654321")
    let error = flow.error as NSError?
    #expect(!flow.isSuccess)
    #expect(error?.domain == "no such account")
    #expect(error?.code == 404)
    #expect(screen.alerts.first?.hasPrefix("failed: ") == true)
    #expect(flow.lines.last { $0.contains("DidFinish") }?.hasPrefix("[LoginOp] DidFinish: withError: ") == true)
    #expect(!flow.lines.contains("[LoadProfileOp] WillStart"))
  }

  @Test func `a name that is missing from the bucket fails the flow and says which`() async {
    let flow = await finished(Flow().setDataBucket(dataBucket: ["mail": "a@b.c", "password": "1"]).addLogin())
    #expect(!flow.isSuccess)
    #expect(
      flow.lines.contains("[LoginOp] DidFinish: withInsufficientInputData: can't find <email> in data bucket"))
  }

  @Test func `a value of another type fails the flow and says what it is`() async {
    let flow = await finished(Flow().setDataBucket(dataBucket: ["email": "a@b.c", "password": 123456]).addLogin())
    let text = "<password> in data bucket is <redacted> with type <Int>, but NOT type <String>."
    #expect(!flow.isSuccess)
    #expect(flow.lines.contains("[LoginOp] DidFinish: withMismatchInputDataType: " + text))
  }

  @Test func `an optional read takes what is there`() async {
    let flow = await finished(
      Flow().setDataBucket(dataBucket: ["email": "a@b.c", "password": "123456", "nickname": "Al"]).addLogin())
    #expect(flow.dataBucket["greeting"] as? String == "hello Al of t-1")
  }

  @Test func `an optional read of another type is nil and fails nothing`() async {
    let flow = await finished(
      Flow().setDataBucket(dataBucket: ["email": "a@b.c", "password": "123456", "nickname": 7]).addLogin())
    #expect(flow.isSuccess)
    #expect(flow.dataBucket["greeting"] as? String == "hello stranger of t-1")
  }

  @Test func `a repository hands the flow's data to its caller`() async {
    let list = await withCheckedContinuation { continuation in
      Repository().loadList { list, _ in continuation.resume(returning: list) }
    }
    #expect(list == ["from the server"])
  }
}
