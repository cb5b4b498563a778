import OperationFlow
import TestSupport
import Testing

extension FlowKey where Value == String {
  fileprivate static var target: Self { "target" }
}
extension FlowKey where Value == [Int] {
  fileprivate static var lengths: Self { "lengths" }
}

@Suite(.watched) struct TypedKeyTests {
  @Test func `keys are equal when their names are, and are shown as these`() {
    let (plain, sensitive): (FlowKey<Int>, FlowKey<Int>) = ("count", FlowKey("count", sensitive: true))
    #expect(plain == sensitive && Set([plain, sensitive]).count == 1 && plain != "other")
    #expect("\(sensitive)" == "count" && sensitive.isSensitive && !plain.isSensitive)
  }

  @Test func `a bucket takes keys with a leading dot`() throws {
    let bucket = DataBucket()
    bucket.set(.city, to: "Bern")
    #expect(try bucket[.city] == "Bern" && bucket.require(.city) == "Bern")
    #expect(bucket.update(.count, default: 0) { $0 += 1 } == ())
    #expect(bucket[.count] == 1)
    bucket.removeData(.city)
    #expect(bucket[.city] == nil && bucket.values.keys.sorted() == ["count"])
  }

  @Test func `a flow and a report take keys with a leading dot`() async {
    let report = await Flow()
      .set(.city, to: "Bern").setData(name: .count, value: 2).set(.target, to: "A")
      .set(.names, to: ["Ann", "Robert"])
      .cases(on: .target) { $0.when("A") { $0.add(SuccessOp()) } }
      .add(operation: SuccessOp(), flowCase: FlowCase(key: .target, value: "A")).combine()
      .forEach(.names, into: .lengths) { name, _ in name.count }
      .addGrouped(
        operationCreator: DoubleOp.self, dispatcher: FlowArrayGroupDispatcher(inputKey: .lengths, outputKey: .lengths)
      )
      .run().report
    #expect(report[.city] == "Bern" && report[.lengths] == [6, 12])
  }

  @Test func `a context and an operation take keys with a leading dot`() async {
    let report = await Flow()
      .add("write") { context in
        context[.city] = "Bern"
        context[.count] = 1
        context.update(.count, default: 0) { $0 += 1 }
        context[.target] = "gone"
        context[.target] = nil
      }
      .step { operation in
        guard let city = operation.getData(name: .city), let count = operation.getData(name: .count) else { return }
        operation.setData(name: .names, value: [city, "\(count)"])
        operation.setData(name: .city, value: nil)
        operation.finishSuccessfully()
      }
      .run().report
    #expect(report[.names] == ["Bern", "2"] && report[.target] == nil)
    #expect(report.data.keys.sorted() == ["count", "names"])
  }

  @Test func `a require that is not caught fails the step as getData does`() async {
    let byContext = await Flow().add("read") { _ = try $0.require(.city) }.run()
    let byOperation = await Flow().step("read") { _ = $0.getData(name: .city) }.run()
    #expect(byContext.code == .missingData && byContext.report.lines == byOperation.report.lines)
    let mistyped = await Flow().set(.city, to: "Bern").add("read") { _ = try $0.require("city" as FlowKey<Int>) }.run()
    #expect(mistyped.code == .mismatchedData)
    #expect(mistyped.report.lines.contains { $0.hasPrefix("[read] DidFinish: withMismatchInputDataType: <city>") })
  }

  @Test func `removing a name twice, or one that is not there, is recorded once`() async {
    let flow = Flow().set(.city, to: "Bern").add("remove") {
      $0[.city] = nil
      $0[.city] = nil
      $0[.count] = nil
    }
    let removals = await flow.run().report.lines.filter { $0.contains("remove for") }
    #expect(removals == ["[DataBucket] remove for city: Bern"])
  }

  // MARK: Updates

  @Test func `no update of a group's items is lost, and each is in the record`() async {
    let report = await Flow()
      .forEach(in: 0..<400, width: 8) { _, context in context.update(.count, default: 0) { $0 += 1 } }
      .run().report
    #expect(report[.count] == 400)
    let changes = report.lines.filter { $0.hasPrefix("[DataBucket] replace for count") }
    #expect(changes == (1..<400).map { "[DataBucket] replace for count: \($0) -> \($0 + 1)" })
  }

  @Test func `a value that becomes nil in an update is removed`() {
    let bucket = DataBucket(["count": 1])
    bucket.update("count" as FlowKey<Int?>, default: nil) { $0 = nil }
    #expect(bucket.values.isEmpty)
  }

  @Test func `a missing name begins with the default, and is nil, also if the key's values may be nil`() {
    let (bucket, count): (DataBucket, FlowKey<Int?>) = (DataBucket(), "count")
    bucket.update(count, default: 5) { $0 = $0.map { $0 + 1 } }
    #expect(bucket[count] == 6)
    bucket.update("any" as FlowKey<any Sendable>, default: 5) { $0 = ($0 as? Int ?? 0) + 1 }
    #expect(bucket.values["any"] as? Int == 6)
    let (data, missing) = (FlowData(values: [:]), "missing" as FlowKey<Int?>)
    #expect(data[missing] == nil)
  }

  @Test func `a large collection is changed without work on each of its elements`() {
    let (bucket, key): (DataBucket, FlowKey<[CountedHash: Int]>) = (DataBucket(), "counts")
    let hashes = Tally()
    let counts = Dictionary(uniqueKeysWithValues: (0..<100).map { (CountedHash(number: $0, hashes: hashes), $0) })
    bucket.set(key, to: counts)
    let before = hashes.count
    bucket.update(key, default: [:]) { $0 = counts }
    #expect(bucket[key]?.count == 100 && hashes.count == before)
  }
}

/// A key of a dictionary that counts how often it is hashed.
private struct CountedHash: Hashable, Sendable {
  let number: Int
  let hashes: Tally

  static func == (left: Self, right: Self) -> Bool { left.number == right.number }

  func hash(into hasher: inout Hasher) {
    hashes.add()
    hasher.combine(number)
  }
}
