import Flow_iOS
import TestSupport
import Testing

@Suite(.watched) struct GroupTests {
  @Test func `a group uploads every image and leaves the outputs in input order`() async {
    let flow = await finished { grouped(["a", "b", "c", "d"], didFinish: $0) }
    #expect(flow.dataBucket["urls"] as? [String] == ["url_of_a", "url_of_b", "url_of_c", "url_of_d"])
    let boxed = flow.dataBucket["urls"] as? [Any]
    #expect(boxed?.first as? String == "url_of_a")
    #expect(flow.lines.contains("[FlowArrayGroupDispatcher] group created: 4"))
    #expect(flow.lines.contains("[FlowArrayGroupDispatcher] all finished. output size: 4"))
  }

  @Test func `a later operation reads the outputs as an array of strings`() async {
    let notes = Notes()
    let flow = await finished { didFinish in
      grouped(["a", "b"], didFinish: didFinish)
        .add(
          operation: CustomOp { op in
            guard let urls: [String] = op.getData(name: "urls") else { return }
            notes.add(urls.joined(separator: " "))
            op.finishSuccessfully()
          })
    }
    #expect(flow.isSuccess)
    #expect(notes.all == ["url_of_a url_of_b"])
  }

  @Test func `dispatchers and creators can be kept in variables of their types' names`() async {
    let flow = await finished { groupedByVariables(didFinish: $0) }
    #expect(flow.dataBucket["leftURLs"] as? [String] == ["url_of_a", "url_of_b"])
    #expect(flow.dataBucket["rightURLs"] as? [String] == ["url_of_c"])
  }

  @Test func `an operation for groups also runs as a step of its own`() async {
    let flow = await finished(Flow().setDataBucket(dataBucket: ["image": "a"]).add(operation: UploadOp()))
    #expect(flow.dataBucket["url"] as? String == "url_of_a")
  }
}
