import Flow_iOS
import TestSupport
import Testing

@Suite(.watched) struct BucketTests {
  @Test func `the bucket is read and written like a dictionary`() async {
    let flow = Flow()
    flow.dataBucket["email"] = "a@b.c"
    flow.dataBucket["count"] = 1
    flow.dataBucket["count"] = (flow.dataBucket["count"] as? Int ?? 0) + 1
    flow.dataBucket["gone"] = true
    flow.dataBucket["gone"] = nil
    flow.dataBucket.merge(["list": ["a", "b"]]) { $1 }
    #expect("\(flow.dataBucket["email"]!)" == "a@b.c")
    #expect(flow.dataBucket["count"] as? Int == 2)
    #expect(flow.dataBucket.keys.sorted() == ["count", "email", "list"])
    flow.dataBucket.removeValue(forKey: "list")
    flow.dataBucket.forEach { name, value in #expect(!name.isEmpty && !"\(value)".isEmpty) }
    for (name, _) in flow.dataBucket { #expect(["count", "email"].contains(name)) }
    flow.dataBucket = ["email": "x@y.z"]
    let values: [String: Any] = flow.dataBucket
    #expect(values["email"] as? String == "x@y.z")
    flow.dataBucket = [:]
    #expect(flow.dataBucket.isEmpty)
  }

  @Test func `what an operation writes while the bucket is changed in place is kept`() async {
    let flow = Flow().setDataBucket(dataBucket: ["gone": 1, "kept": 1, "list": [1], "object": NSObject()])
    flow.add(
      operation: CustomOp { operation in
        let change = { (values: inout [String: Any]) in
          operation.setData(name: "token", value: "t-1")
          operation.setData(name: "kept", value: 2)
          values["progress"] = 0.5
          values["gone"] = nil
          values["list"] = [1, 2]
        }
        change(&flow.dataBucket)
        operation.finishSuccessfully()
      })
    let ended = await finished(flow)
    #expect(ended.isSuccess)
    #expect(ended.dataBucket.keys.sorted() == ["kept", "list", "object", "progress", "token"])
    #expect(ended.dataBucket["kept"] as? Int == 2 && ended.dataBucket["list"] as? [Int] == [1, 2])
  }

  @Test func `what the will-start block writes is there for the first operation`() async {
    let flow = await finished(
      Flow()
        .setDataBucket(dataBucket: ["email": "a@b.c"])
        .setWillStartBlock { flow in
          flow.dataBucket["password"] = "123456"
          flow.setData(name: "nickname", value: "Al")
        }
        .addLogin())
    #expect(flow.isSuccess)
    #expect(flow.dataBucket["greeting"] as? String == "hello Al of t-1")
  }

  @Test func `blocks see the flow that they were set on, on the main queue`() async {
    let notes = Notes()
    let flow = Flow().add(operation: PrintOp(message: "x"))
    let same = await finished { didFinish in
      flow
        .setWillStartBlock { started in
          dispatchPrecondition(condition: .onQueue(.main))
          notes.add("start \(started === flow)")
        }
        .setDidFinishBlock { ended in
          dispatchPrecondition(condition: .onQueue(.main))
          notes.add("finish \(ended === flow)")
          didFinish(ended)
        }
    }
    #expect(same === flow)
    #expect(notes.all == ["start true", "finish true"])
  }
}
