import Foundation
import TestSupport
import Testing

@testable import OperationFlow

@Suite(.watched) struct ValueTextTests {
  @Test func `a date that is no point in time has a text`() {
    let date = Date(timeIntervalSinceReferenceDate: .nan)
    #expect(ValueText.describe(date) == "no date" && ValueText.describe([date]) == "[no date]")
  }

  @Test func `an error of Foundation is shown as its description, with the file that it is about`() {
    let file = "/there is no folder/a.txt"
    let error = #expect(throws: (any Error).self) { try String(contentsOfFile: file, encoding: .utf8) }
    let text = error.map { ValueText.describe(error: $0) } ?? ""
    #expect(text.contains("doesn’t exist") && text.contains(file) && !text.contains("Domain="))
    #expect(ValueText.describe(error: POSIXError(.ENOENT)).contains("No such file or directory"))
    struct Own: CustomNSError { static var errorDomain: String { "Own" } }
    #expect(ValueText.describe(error: Own()) == "Own()")
    #expect(ValueText.describe(error: TestError(name: "x")) == "TestError(x)")
  }

  @Test func `data is shown as its size, in an array too`() {
    #expect(ValueText.describe(Data(count: 1_234)) == "<1234 bytes>")
    #expect(ValueText.describe([Data(count: 1), Data(count: 2)]) == "[<1 bytes>, <2 bytes>]")
  }

  @Test(arguments: [0, 1, -1, 9, 10, -10, 999_999_999, 1_000_000_000, -999_999_999, -1_000_000_000, Int.max, .min])
  func `a number is shown by its digits`(number: Int) {
    #expect(ValueText.describe(number) == "\(number)" && ValueText.atHand(number) == "\(number)")
  }

  @Test func `a value that says itself how it is shown is shown so, in an array and an optional too`() {
    struct Account: CustomRecordStringConvertible, CustomStringConvertible {
      let number: Int
      var description: String { "secret" }
      var recordDescription: String { "account \(number)" }
    }
    #expect(ValueText.describe(Account(number: 1)) == "account 1")
    #expect(ValueText.describe([Account(number: 1), Account(number: 2)]) == "[account 1, account 2]")
    #expect(ValueText.describe(Optional(Account(number: 1)) as Any) == "account 1")
    struct Endless: CustomRecordStringConvertible {
      let recordDescription = String(repeating: "x", count: 1_000_000)
    }
    #expect(ValueText.describe(Endless()).count == 1_001)
    #expect(ValueText.describe([Endless()]).count < 1_050)
  }

  @Test func `a text is cut at 1,000 characters and not before, and the rest is counted`() {
    let exact = String(repeating: "x", count: 1_000)
    #expect(ValueText.describe(exact) == exact && ValueText.atHand(exact) == exact)
    #expect(ValueText.describe(exact + "yé") == exact + "… (3 more bytes)")
    #expect(ValueText.atHand(exact + "yé") == exact + "… (3 more bytes)")
    #expect(ValueText.describe(String(repeating: "é", count: 1_000)).count == 1_000)
    let family = "👩‍👩‍👧"
    let families = String(repeating: family, count: 1_000)
    #expect(ValueText.describe(families + family) == families + "… (\(family.utf8.count) more bytes)")
  }

  @Test func `whatever is huge has a bounded text`() {
    let huge: [any Sendable] = [
      String(repeating: "x", count: 5_000_000), Array(0..<1_000_000), Array(repeating: "text", count: 1_000_000),
      Array(repeating: Array(0..<1_000), count: 1_000), Data(count: 5_000_000),
      Dictionary(uniqueKeysWithValues: (0..<10_000).map { ($0, "\($0)") }), Set(0..<10_000),
      [String(repeating: "x", count: 1_000_000)], Array(repeating: Data(count: 10), count: 10_000),
    ]
    for value in huge { #expect(ValueText.describe(value).count <= 1_050, "\(type(of: value))") }
    #expect(ValueText.describe(Array(0..<1_000_000)).hasSuffix("… (1000000 elements)"))
    let pairs = KeyValuePairs(dictionaryLiteral: ("a", String(repeating: "b", count: 2_000)), ("c", "d"))
    #expect(ValueText.describe(pairs).hasSuffix("… (2 elements)"))
  }

  @Test func `one character may be as long as it likes, its text may not`() {
    let tower = "a" + String(repeating: "\u{301}", count: 1_000_000)
    #expect(ValueText.describe(tower).utf8.count < 100_000)
  }

  @Test func `an array that is cut says so, whatever its elements' letters`() {
    let text = ValueText.describe(Array(repeating: "éééé", count: 120))
    #expect(text.hasSuffix("]") || text.contains("…"))
  }

  @Test func `values in the record are bounded, in the summary and in messages`() async {
    let huge = String(repeating: "x", count: 1_000_000)
    let outcome = await Flow().setDataBucket(dataBucket: ["huge": huge]).step {
      $0.setData(name: "huge", value: huge + "y")
      let _: Int? = $0.getData(name: "huge")
    }.run()
    #expect(outcome.report.summary.count < 10_000)
    #expect("\(outcome.error as Any)".count < 2_000)
    #expect(outcome.report.data["huge"] as? String == huge + "y")
  }

  @Test func `a value that shows itself as a tuple is printed with its parts, as Swift prints it`() {
    struct Pair: CustomReflectable {
      var customMirror: Mirror { Mirror(self, unlabeledChildren: [1, 2], displayStyle: .tuple) }
    }
    #expect(ValueText.describe(Pair()) == "\(Pair())")
    #expect(ValueText.describe((1, "two")) == "\((1, "two"))")
  }

  @Test func `a type's name is without its module, also when many threads ask`() async {
    let names = Journal<String>()
    await atOnce(
      { for _ in 0..<100 { names.append(TypeName.of(SuccessOp.self)) } },
      { for _ in 0..<100 { names.append(TypeName.of([Int].self)) } })
    #expect(Set(names.entries) == ["SuccessOp", "Array<Int>"])
  }
}
