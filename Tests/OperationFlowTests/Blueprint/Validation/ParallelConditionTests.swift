import OperationFlow
import TestSupport
import Testing

extension FlowKey where Value == Int {
  fileprivate static var link: Self { "link" }
  fileprivate static var other: Self { "other" }
}

extension FlowKey where Value == String {
  fileprivate static var format: Self { "format" }
}

/// The findings of validation, after parallel branches, about conditions on keys that a branch writes.
@Suite(.watched) struct ParallelConditionTests {
  private static func detect(_ branch: Flow) -> Flow {
    branch.add("detect", .writes(.format)) { $0[.format] = "raw" }
  }

  private static func convert(_ branch: Flow) -> Flow {
    branch.add("convert", .when(.format, is: "raw"), .writes(.link)) { $0[.link] = 1 }
  }

  /// Returns a flow of two branches, and a step after them that needs the output of `convert`.
  private func flow(_ one: (Flow) -> Flow, _ two: (Flow) -> Flow, when format: String = "raw") -> Flow {
    Flow().set(.format, to: "raw")
      .parallel {
        $0.branch("one") { _ = one($0) }
        $0.branch("two") { _ = two($0) }
      }
      .add("publish", .when(.format, is: format), .reads(.link), .writesNothing) { _ = try $0.require(.link) }
  }

  @Test func `what a branch may write is not missed behind the branches where its key is compared`() async {
    let beside = { (branch: Flow) in branch.add("other", .writes(.other)) { $0[.other] = 1 } }
    let own = flow({ Self.convert(Self.detect($0)) }, beside)
    #expect(own.findings == [] && flow(beside, { Self.convert(Self.detect($0)) }).findings == [])
    #expect(await own.run().isSuccess)
    #expect(flow({ Self.convert(Self.detect($0)) }, beside, when: "png").findings == [])
    #expect(flow({ Self.detect(Self.convert($0)) }, beside).findings == [])
    for (one, two) in [(Self.convert, Self.detect), (Self.detect, Self.convert)] {
      #expect(flow(one, two).faults == [])
    }
  }

  @Test func `what branches write for each value of a key is there behind them, and not if a value has none`() async {
    func flow(_ values: Bool...) -> Flow {
      Flow().set("isRaw", to: true)
        .parallel { branches in
          for (index, value) in values.enumerated() {
            branches.branch("\(index)") {
              $0.add("convert", .when("isRaw", is: value), .writes(.link)) { $0[.link] = index }
            }
          }
        }
        .add("publish", .reads(.link), .writesNothing) { _ = try $0.require(.link) }
    }
    #expect(flow(true, false).faults == [] && flow(false, true, true).faults == [])
    #expect(await flow(true, false).run().isSuccess)
    #expect(await flow(true, false).run(with: ["isRaw": false]).isSuccess)
    #expect(flow(true, true).faults == [])
    #expect(flow(true).findings == ["warning missingData at 2. publish: link"])
    // The key may also be missing.
    #expect(flow(true, false).validate(with: ["isRaw": "text"]).contains { $0.code == .missingData })
  }

  @Test func `a closure's condition in a branch changes nothing about what is known of values`() async {
    let log = { (branch: Flow) in branch.add("log", .when { !$0.contains(.other) }, .writesNothing) { _ in } }
    let both = flow(Self.convert, log)
    #expect(both.findings == [] && flow(log, Self.convert).findings == [])
    #expect(await both.run().isSuccess)
  }

  @Test func `a value that an inner flow adds if it is missing may have changed`() {
    let inner = Flow("inner").set(.format, to: "raw").add("x", .writesNothing) { _ in }
    let flow = Flow().add("maybe", .when { _ in true }, .writesNothing) { _ in }
      .parallel {
        $0.branch("one") { $0.add("step", .when { _ in true }, .writesNothing) { _ in }.add(flow: inner) }
        $0.branch("two") { branch in
          branch.cases(on: .format) {
            $0.when("raw") { $0.add("write", .writes(.link)) { $0[.link] = 1 } }
            $0.otherwise { $0.addNothing() }
          }
        }
      }
      .add("publish", .when(.format, is: "raw"), .reads(.link), .writesNothing) { _ in }
    #expect(flow.findings.contains("error missingData at 3. publish: link"))
  }

  @Test func `a flow that was found right with some data is refused with others, or when it changes`() async {
    let flow = Flow().set(.format, to: "raw").set(.other, to: 2)
      .add("convert", .when(.format, is: "raw"), .writes(.link)) { $0[.link] = 1 }
      .cases(on: .format) {
        $0.when("raw") { $0.add("publish", .reads(.link), .writesNothing) { _ = try $0.require(.link) } }
        $0.otherwise { $0.add("show", .reads(.other), .writesNothing) { _ in } }
      }
    for _ in 0..<3 { #expect(await flow.run().isSuccess) }
    let other = await flow.run { $0[.other] = nil }
    #expect(!other.isSuccess && other.report.stepCount == 0)
    #expect(await flow.run().isSuccess)
    flow.add("behind", .reads("nowhere" as FlowKey<Int>), .writesNothing) { _ in }
    let changed = await flow.run()
    #expect(!changed.isSuccess && changed.report.stepCount == 0)
  }
}
