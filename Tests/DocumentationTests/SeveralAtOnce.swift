import OperationFlow
import TestSupport
import Testing

extension FlowKey where Value == [String] {
  static var pictures: Self { "pictures" }
  static var thumbnails: Self { "thumbnails" }
  static var tags: Self { "tags" }
}

struct Studio: Sendable {
  func thumbnail(of picture: String) async throws -> String { "small \(picture)" }

  func tags(of pictures: [String]) async throws -> [String] { pictures.map { "a picture of \($0)" } }
}

let studio = Studio()

enum SeveralAtOnce {
  static func album() -> Flow {
    let flow = Flow("Album")
      .parallel("prepare") {
        $0.branch("thumbnails") {
          $0.forEach(.pictures, into: .thumbnails, width: 4) { picture, context in
            try await studio.thumbnail(of: picture)
          }
        }
        $0.branch("tags") {
          $0.add("scan", .reads(.pictures), .writes(.tags)) { context in
            context[.tags] = try await studio.tags(of: context.require(.pictures))
          }
        }
      }
      .add("publish", .reads(.thumbnails, .tags), .writesNothing) { context in
        let (thumbnails, tags) = try (context.require(.thumbnails), context.require(.tags))
        context.log("\(thumbnails.count) thumbnails, \(tags.count) tags")
      }
    return flow
  }
}

@Suite(.watched) struct SeveralAtOnceTests {
  @Test func `both branches have ended before the flow continues`() async {
    let outcome = await SeveralAtOnce.album().run(with: ["pictures": ["a", "b"]])
    #expect(outcome.isSuccess && outcome.report.summary.contains("[publish] 2 thumbnails, 2 tags"))
    #expect(outcome.report.steps.map { "\($0.path)" }.contains("1. prepare > tags > 1. scan"))
    let lines = outcome.report.summary.withoutTimes.split(separator: "\n").map(String.init)
    for line in [
      "[prepare] WillStart", "[scan] WillStart", "[pictures] group created: 2", "[prepare] DidFinish: successfully",
      "[publish] WillStart",
    ] {
      #expect(lines.contains(line), "\(line)")
    }
  }

  @Test func `the mistakes of the table are found`() {
    let flow = Flow().parallel {
      $0.branch("a") { $0.add("x", .writes(.tags)) { $0[.tags] = [] } }
      $0.branch("a") { $0.add("y", .writes(.tags)) { $0[.tags] = [] } }
      $0.branch("b") { $0.add("z", .reads(.tags), .writesNothing) { _ in } }
      $0.branch("c") { $0.parallel { _ in } }
      $0.branch("d") { _ in }
    }
    #expect(
      Set(flow.validate().map(\.code)) == [
        .concurrentWrites, .repeatedBranch, .missingData, .emptyParallel, .emptyBranch,
      ])
  }
}
