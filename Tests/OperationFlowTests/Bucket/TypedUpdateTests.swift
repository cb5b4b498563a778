import TestSupport
import Testing

@testable import OperationFlow

extension FlowKey where Value == Int {
  fileprivate static var count: Self { "count" }
}
extension FlowKey where Value == [Int] {
  fileprivate static var list: Self { "list" }
}

@Suite(.watched) struct TypedUpdateTests {
  @Test func `no update of eight threads is lost`() async {
    let bucket = DataBucket()
    await withTaskGroup(of: Void.self) { group in
      for thread in 0..<8 {
        group.addTask {
          await inThread {
            for index in 0..<500 {
              bucket.update(.count, default: 0) { $0 += 1 }
              if index.isMultiple(of: 50) { bucket.update(.list, default: []) { $0.append(thread * 500 + index) } }
            }
          }
        }
      }
    }
    #expect(bucket[.count] == 4000)
    #expect(bucket[.list].map(Set.init)?.count == 80)
  }

  @Test func `no update of a group's items is lost, and each is in the record`() async {
    let outcome = await Flow()
      .forEach(in: 0..<400, width: 8) { _, context in context.update(.count, default: 0) { $0 += 1 } }
      .run()
    #expect(outcome.report[.count] == 400)
    let changes = outcome.report.lines.filter { $0.hasPrefix("[DataBucket] replace for count") }
    #expect(changes == (1..<400).map { "[DataBucket] replace for count: \($0) -> \($0 + 1)" })
  }

  @Test func `an update gives back what its closure returns, and its error`() async {
    let bucket = DataBucket(["count": 1])
    #expect(bucket.update(.count, default: 0) { count in count * 10 } == 10)
    #expect(throws: TestError()) {
      try bucket.update(.count, default: 0) { count in
        count = 99
        throw TestError()
      }
    }
    #expect(bucket[.count] == 1)
    let outcome = await Flow().add("update") { try $0.update(.count, default: 0) { _ in throw TestError() } }.run()
    #expect(outcome.error as? TestError == TestError())
  }

  @Test func `a value that becomes nil in an update is removed`() {
    let bucket = DataBucket(["count": 1])
    bucket.update("count" as FlowKey<Int?>, default: nil) { $0 = nil }
    #expect(bucket.values.isEmpty)
  }
}
