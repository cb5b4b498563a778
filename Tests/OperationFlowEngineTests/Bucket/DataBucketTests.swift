import Foundation
import TestSupport
import Testing

@testable import OperationFlow

@Suite(.watched) struct DataBucketTests {
  private func error(_ body: () throws(FlowError) -> some Any) -> FlowError? {
    do throws(FlowError) {
      _ = try body()
      return nil
    } catch {
      return error
    }
  }

  @Test func `it gives back what it was given, under any name`() throws {
    let bucket = DataBucket(["number": 5, "": "empty", "a b\n": [1.5]])
    #expect(bucket["number" as FlowKey<Int>] == 5)
    #expect(try bucket.require("" as FlowKey<String>) == "empty")
    #expect(bucket["a b\n" as FlowKey<[Double]>] == [1.5])
    #expect(bucket.contains("number") && !bucket.contains("Number"))
    #expect(bucket.values.count == 3)
  }

  @Test func `a missing name and a wrong type are different failures that can be read`() {
    let bucket = DataBucket(["number": 5])
    let missing = error { () throws(FlowError) in try bucket.require("other" as FlowKey<Int>) }
    #expect(missing?.code == .missingData)
    #expect(missing?.problem == "can't find <other> in data bucket")
    #expect(missing?.key == "other")
    let mistyped = error { () throws(FlowError) in try bucket.require("number" as FlowKey<String>) }
    #expect(mistyped?.code == .mismatchedData)
    #expect(mistyped?.problem == "<number> in data bucket is <5> with type <Int>, but NOT type <String>.")
    #expect(mistyped?.remedy == "Write a value of type String under <number>, or read it as Int.")
    #expect(bucket["number" as FlowKey<String>] == nil)
  }

  @Test func `a whole number is no floating-point number`() {
    let bucket = DataBucket(["number": 5])
    #expect(bucket["number" as FlowKey<Double>] == nil)
    #expect(bucket["number" as FlowKey<Int64>] == nil)
  }

  @Test func `an optional is stored unwrapped, however often it was wrapped`() {
    let bucket = DataBucket(["once": Int?.some(1), "twice": Int??.some(.some(2)), "none": Int??.some(nil)])
    #expect(bucket["once" as FlowKey<Int>] == 1)
    #expect(bucket["twice" as FlowKey<Int>] == 2)
    #expect(!bucket.contains("none"))
    bucket.set("once" as FlowKey<Int>, to: nil)
    bucket.set("twice" as FlowKey<Int?>, to: .some(nil))
    #expect(bucket.values.isEmpty)
  }

  @Test func `a value of another type takes the place of the old one`() {
    let bucket = DataBucket(["value": 5])
    bucket.set("value" as FlowKey<String>, to: "five")
    #expect(bucket["value" as FlowKey<Int>] == nil)
    #expect(bucket["value" as FlowKey<String>] == "five")
    bucket.removeData("value" as FlowKey<Int>)
    #expect(!bucket.contains("value"))
    bucket.removeData("value" as FlowKey<Int>)
  }

  @Test func `an update that throws leaves the bucket as it was`() {
    let bucket = DataBucket(["number": 5])
    #expect(throws: TestError()) {
      try bucket.update("number" as FlowKey<Int>, default: 0) { number in
        number = 6
        throw TestError()
      }
    }
    #expect(bucket["number" as FlowKey<Int>] == 5)
  }

  @Test func `an update of a missing or mistyped value begins with the default`() {
    let bucket = DataBucket(["text": "five"])
    #expect(bucket.update("count" as FlowKey<Int>, default: 10) { $0.increased() } == 11)
    #expect(bucket.update("text" as FlowKey<Int>, default: 20) { $0.increased() } == 21)
    #expect(bucket["text" as FlowKey<Int>] == 21)
  }

  @Test func `updates from many threads are all there`() async {
    let bucket = DataBucket()
    let add = { @Sendable in
      for _ in 0..<2_000 { bucket.update("count" as FlowKey<Int>, default: 0) { $0 += 1 } }
    }
    await atOnce(add, add, add, add)
    #expect(bucket["count" as FlowKey<Int>] == 8_000)
  }

  @Test func `reading and writing from many threads at once is fine`() async {
    let bucket = DataBucket()
    let use = { @Sendable in
      for number in 0..<2_000 {
        bucket.set("value" as FlowKey<Int>, to: number.isMultiple(of: 3) ? nil : number)
        _ = bucket["value" as FlowKey<Int>]
        _ = bucket.values.count + (bucket.contains("value") ? 1 : 0)
      }
    }
    await atOnce(use, use, use)
    #expect(bucket.values.count <= 1)
  }

  @Test func `a value may use the bucket when it is freed`() async {
    // A plain thread: a deadlock here then blocks no thread of the pools.
    await inThread {
      let bucket = DataBucket()
      bucket.set("value", to: Token { _ = bucket.contains("other") })
      bucket.set("value" as FlowKey<Token>, to: nil)
    }
  }

  @Test func `a value's description may use the bucket`() async {
    struct Curious: Sendable, CustomStringConvertible {
      let bucket: DataBucket
      var description: String { "\(bucket.values.count)" }
    }
    let bucket = DataBucket(FlowData(values: ["number": 5]), sensitiveNames: [], recorder: Recorder())
    await inThread { bucket.set("value", to: Curious(bucket: bucket)) }
    #expect(bucket.content.items.map(\.text) == ["5", "1"])
  }

  @Test func `marks and writes of many threads show no marked value`() async {
    let secret = "hunter2"
    for _ in 0..<50 {
      let recorder = Recorder()
      let bucket = DataBucket(FlowData(), sensitiveNames: [], recorder: recorder)
      await atOnce(
        { for _ in 0..<20 { bucket.write(secret, named: "token") } },
        { bucket.replaceAll(["token": secret]) }, { bucket.markSensitive(["token"]) },
        { for _ in 0..<20 { bucket.update("token" as FlowKey<String>, default: secret) { $0 += "!" } } })
      #expect(!recorder.log.events.contains { "\($0)".contains(secret) })
      #expect(!bucket.content.items.contains { $0.text.contains(secret) })
    }
  }
}

extension Int {
  /// Adds one, and returns the new number.
  fileprivate mutating func increased() -> Int {
    self += 1
    return self
  }
}
