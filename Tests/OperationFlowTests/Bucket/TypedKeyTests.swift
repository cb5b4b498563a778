import TestSupport
import Testing

@testable import OperationFlow

extension FlowKey where Value == String {
  fileprivate static var city: Self { "city" }
  fileprivate static var target: Self { "target" }
  fileprivate static var secret: Self { FlowKey("secret", sensitive: true) }
}
extension FlowKey where Value == Int {
  fileprivate static var count: Self { "count" }
}
extension FlowKey where Value == [String] {
  fileprivate static var names: Self { "names" }
}
extension FlowKey where Value == [Int] {
  fileprivate static var lengths: Self { "lengths" }
}

@Suite(.watched) struct TypedKeyTests {
  @Test func `a bucket takes keys with a leading dot`() throws {
    let bucket = DataBucket()
    bucket.set(.city, to: "Bern")
    #expect(bucket[.city] == "Bern")
    #expect(try bucket.require(.city) == "Bern")
    #expect(bucket.update(.count, default: 0) { $0 += 1 } == ())
    #expect(bucket[.count] == 1)
    bucket.removeData(.city)
    #expect(bucket[.city] == nil)
    #expect(bucket.values.keys.sorted() == ["count"])
  }

  @Test func `a flow takes keys with a leading dot`() async {
    let outcome = await Flow()
      .set(.city, to: "Bern").setData(name: .count, value: 2).set(.target, to: "A")
      .set(.names, to: ["Ann", "Robert"])
      .cases(on: .target) { $0.when("A") { $0.add(SuccessOp()) } }
      .add(SuccessOp(), flowCase: FlowCase(key: .target, value: "A")).combine()
      .forEach(.names, into: .lengths) { name, _ in name.count }
      .addGrouped(
        operationCreator: DoubleOp.self, dispatcher: FlowArrayGroupDispatcher(inputKey: .lengths, outputKey: .lengths)
      )
      .run()
    #expect(outcome.isSuccess)
    #expect(outcome.report[.city] == "Bern")
    #expect(outcome.report[.lengths] == [6, 12])
  }

  @Test func `a context and an operation take keys with a leading dot`() async {
    let outcome = await Flow()
      .add("write") { context in
        context[.city] = "Bern"
        context.set(.count, to: 1)
        context.update(.count, default: 0) { $0 += 1 }
        context.set(.target, to: "gone")
        context.removeData(.target)
      }
      .step { operation in
        guard let city = operation.getData(name: .city), let count = operation.getData(name: .count) else { return }
        operation.setData(name: .names, value: [city, "\(count)"])
        operation.finishSuccessfully()
      }
      .run()
    #expect(outcome.report[.names] == ["Bern", "2"])
    #expect(outcome.report[.target] == nil)
    #expect(outcome.report.data.keys.sorted() == ["city", "count", "names"])
  }

  @Test func `require throws an error of a known type, with the key`() {
    let bucket = DataBucket(["count": "no number"])
    do throws(FlowError) {
      _ = try bucket.require(.city)
      fail("found a city")
    } catch {
      // Typed throws: there is nothing to cast.
      #expect(error.code == .missingData)
      #expect(error.key == "city")
    }
    do throws(FlowError) {
      _ = try bucket.require(.count)
      fail("found a count")
    } catch {
      #expect(error.code == .mismatchedData)
      #expect(error.problem.contains("no number") && error.problem.contains("Int"))
    }
  }

  @Test func `a require that is not caught fails the step as getData does`() async {
    let byContext = await Flow().add("read") { _ = try $0.require(.city) }.run()
    let byOperation = await Flow().step("read") { _ = $0.getData(name: .city) }.run()
    #expect(byContext.code == .missingData)
    #expect(byContext.report.lines == byOperation.report.lines)
    let mistyped = await Flow().set(.city, to: "Bern").add("read") { _ = try $0.require("city" as FlowKey<Int>) }.run()
    #expect(mistyped.code == .mismatchedData)
    #expect(mistyped.report.lines.contains { $0.hasPrefix("[read] DidFinish: withMismatchInputDataType: <city>") })
  }

  @Test func `removing a name twice, or one that is not there, is recorded once`() async {
    let outcome = await Flow().set(.city, to: "Bern")
      .add("remove") {
        $0.removeData(.city)
        $0.removeData(.city)
        $0[.count] = nil
      }
      .run()
    #expect(outcome.report.lines.filter { $0.contains("remove for") } == ["[DataBucket] remove for city: Bern"])
  }

  @Test func `a sensitive key's value is redacted in every text, and read as it is`() async {
    let outcome = await Flow().set(.secret, to: "opensesame")
      .add("read") { context in
        #expect(try context.require(.secret) == "opensesame")
        context.update(.secret, default: "") { $0 += "!" }
        _ = try context.require(FlowKey<Int>("secret", sensitive: true))
      }
      .run()
    #expect(outcome.report[.secret] == "opensesame!")
    let texts = outcome.report.summary + (outcome.error.map { "\($0)" } ?? "")
    #expect(!texts.contains("opensesame"))
    #expect(texts.contains("<redacted>"))
  }
}
