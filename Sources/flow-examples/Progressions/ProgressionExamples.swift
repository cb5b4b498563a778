import Foundation
import OperationFlow
import OperationFlowProgressions

extension FlowKey where Value == OrderReading {
  fileprivate static var reading: Self { "reading" }
}
extension FlowKey where Value == Order {
  fileprivate static var order: Self { "order" }
}
extension FlowKey where Value == String {
  fileprivate static var found: Self { "found" }
  fileprivate static var answer: Self { "answer" }
}

extension Example {
  /// A workflow as a value: a file is read, parsed and checked, and each step is a line of the summary.
  static let progressionReading = Example(name: "progression, JSON file") { output in
    try await OrderSite.open { site in
      let outcome = await Flow("Read")
        .set(.reading, to: .open(site.order))
        .progress("read", from: .reading, into: .order)
        .run()

      output.show(outcome)
      try expect(outcome.report[.order] == Order(name: "greeting", text: "hello world"), "the order is read")
    }
  }

  /// The same kind of value over HTTP; a closure makes the second one's first step from the first one's result.
  static let progressionHTTP = Example(name: "progression, HTTP") { output in
    try await OrderSite.open { site in
      let outcome = await Flow("Ask")
        .progress("get", into: .found) { _ in HTTPExchange.get(site.server.appending(component: "order.json")) }
        .progress("post", into: .answer) { step in
          HTTPExchange.post(site.server, body: Data(try step.require(.found).utf8))
        }
        .run()

      output.show(outcome)
      try expect(outcome.report[.answer] == "took greeting, 11 characters\n", "the server has taken what it gave")
    }
  }

  /// Both composed into one progression, from the start.
  static let progressionUpload = Example(name: "progression, upload") { output in
    try await OrderSite.open { site in
      let outcome = await uploading(site, storedIn: MemoryProgressionStore()).run()

      output.show(outcome)
      output.show(outcome.report.diagram(of: "upload")?.mermaid ?? "there is no diagram")
      try expect(outcome.report[.answer] == "took greeting, 11 characters\n", "the server has taken the order")
    }
  }

  /// The same, refused once, and continued from the stored step: the file is not read again.
  static let progressionRestored = Example(name: "progression, upload restored") { output in
    try await OrderSite.open(refusals: 1) { site in
      let store = FileProgressionStore(directory: site.folder.appending(component: "steps"))
      let refused = await uploading(site, storedIn: store).run()
      output.show("first run: \(refused.error.map { "\($0)" } ?? "it succeeded")\n")
      output.noteFailures(of: refused)
      try expect(refused.error as? UploadError == .refused(status: 503), "the first run is refused")

      try FileManager.default.removeItem(at: site.order)
      let outcome = await uploading(site, storedIn: store).run()
      output.show(outcome)
      try expect(outcome.report[.answer] == "took greeting, 11 characters\n", "the second run goes on without the file")
      try expect(try await store.load("greeting") == nil, "nothing is stored any more")
    }
  }

  private static func uploading(_ site: OrderSite, storedIn store: any ProgressionStore) -> Flow {
    Flow("Upload").progress("upload", into: .answer, store: store, as: "greeting") { _ in
      OrderUpload.reading(.open(site.order), server: site.server)
    }
  }
}
