import Foundation
import OperationFlow
import OperationFlowReports
import TestSupport

extension PageSamples {
  /// Text that would run as a script, end an element, or forge a line if a page didn't escape it.
  static let injection = "</script><script>alert(1)</script>"
  static let nasty = [
    injection, "\"'><img src=x onerror=alert(1)>", "]]> --> <!-- <![CDATA[", "a\u{2028}b\u{2029}c\0d\u{1B}[31me",
    "\u{202E}turned", "&lt;b&gt;&amp;", "line\nline\r\nline\ttab", "日本語の名前です", "${1+1}`\\",
  ]

  /// Runs a flow in which every name, value and error is an element of `nasty`.
  static func injected() async -> FlowOutcome {
    var flow = Flow(injection)
    for (index, text) in nasty.enumerated() {
      flow = flow.set(FlowKey<String>(text), to: text).add(text, .reads(FlowKey<String>(text))) { context in
        context.log(text, level: .warning)
        context[FlowKey<String>(text + "\(index)")] = text
        context[FlowKey<String>(text + "\(index)")] = text + "!"
      }
    }
    return
      await flow
      .setData(name: "all", value: nasty)
      .forEach("all", into: "out", tolerating: .all, .named(injection)) { (text: String, _) -> String in
        throw TextError(description: text)
      }
      .cases(on: FlowKey<String>(injection)) {
        $0.when(injection) { $0.add("within") { _ in } }
        $0.otherwise { $0.addNothing() }
      }
      .parallel(injection) { parallel in
        parallel.branch(injection) { $0.add(nasty[1]) { _ in } }
        parallel.branch(nasty[1]) { $0.add(nasty[1]) { _ in } }
      }
      .add(injection, .reads(FlowKey<String>(injection), FlowKey<String>(nasty[1]))) { _ in
        throw TextError(description: injection + nasty[1])
      }
      .run()
  }

  struct TextError: Error, CustomStringConvertible {
    let description: String
  }

  /// Returns a run with about 100,000 events: those of 49,900 items.
  static func large() async -> FlowRecord {
    await Flow("Large").recording(.everything)
      .setData(name: "numbers", value: Array(0..<49_900))
      .forEach("numbers", into: "out", width: 8, tolerating: .all) { (number: Int, context) -> Int in
        if number % 5_000 == 77 { throw TextError(description: "number \(number) is refused") }
        if number % 1_000 == 5 { context["latest"] = number }
        return number
      }
      .add("sum") { $0.log("done") }
      .run().report.record
  }

  /// Returns a run of `depth` nested flows, in which the innermost step fails.
  static func nested(_ depth: Int = 1_000) async -> FlowRecord {
    var flow = Flow("innermost").add("fail") { _ in throw TextError(description: "too deep") }
    for level in 0..<depth { flow = Flow("level \(depth - level)").add(flow: flow) }
    return await flow.run().report.record
  }

  /// Returns a run of many steps, of which one in the middle fails.
  static func long(_ count: Int = 3_000) async -> FlowRecord {
    var flow = Flow("Long")
    for index in 0..<count {
      flow = flow.add("step \(index)") { _ in if index == count / 2 { throw TextError(description: "half way") } }
    }
    return await flow.run().report.record
  }

  /// Returns a run whose second step hasn't ended.
  static func running() async -> FlowRecord {
    let (reached, release) = (Signal(), Signal())
    let run = Flow("Under way").add("first") { _ in }
      .add("second") { _ in await reached.fire(thenAwait: release) }
      .add("third") { _ in }
      .start()
    await reached.wait()
    let record = run.record
    release.fire()
    _ = await run.outcome
    return record
  }

  static func cancelled() async -> FlowRecord {
    let (reached, release) = (Signal(), Signal())
    let run = Flow("Cancelled").add("first") { _ in await reached.fire(thenAwait: release) }
      .add("second") { _ in }
      .start()
    await reached.wait()
    run.cancel()
    release.fire()
    return await run.outcome.report.record
  }

  static func refused() async -> FlowRecord {
    await Flow("Refused").add("reader", .reads("missing" as FlowKey<Int>)) { _ in }
      .cases(on: "missing") { $0.when("x") { $0.add("never") { _ in } } }
      .run().report.record
  }

  static func empty() async -> FlowRecord { await Flow("Empty").run().report.record }
}
