import OperationFlow

extension FlowKey where Value == [String] {
  fileprivate static var pictures: Self { "pictures" }
  fileprivate static var thumbnails: Self { "thumbnails" }
  fileprivate static var tags: Self { "tags" }
}

private struct Unreadable: Error, CustomStringConvertible {
  let description: String
}

/// Runs a group of many items, several at once, and another branch beside it.
enum Groups {
  static func main() async throws {
    // At most eight at once, in all flows that share the limiter. It can also limit how many begin in a second.
    let processors = FlowLimiter(atMost: 8)

    let album = Flow("Album")
      .set(.pictures, to: (1...1_200).map { "picture \($0)" })
      .parallel("prepare") {
        $0.branch("thumbnails") {
          // Each item is attempted up to three times. One may fail in the end; a second one would stop the group.
          $0.forEach(
            .pictures, into: .thumbnails, width: 16, tolerating: .failures(1), .named("shrink"),
            .retry(.exponential(attempts: 3, first: .milliseconds(1))), .timeout(.seconds(5)), .limited(by: processors)
          ) { picture, context in
            if picture == "picture 700" { throw Unreadable(description: "\(picture) is damaged") }
            if picture == "picture 7", context.attempt < 3 { throw Unreadable(description: "it is being copied") }
            return "small \(picture)"
          }
        }
        // Each branch writes a key of its own.
        $0.branch("tags") {
          $0.add("scan", .reads(.pictures), .writes(.tags)) { context in
            context[.tags] = try context.require(.pictures).prefix(3).map { "tag of \($0)" }
          }
        }
      }
      .add("publish", .reads(.thumbnails, .tags)) { context in
        let (thumbnails, tags) = try (context.require(.thumbnails), context.require(.tags))
        // The outputs are in the order of the items, whichever ended first.
        context.log("\(thumbnails.count) thumbnails, the first of them \(thumbnails[0]), and \(tags.count) tags")
      }

    let outcome = await album.run()
    print(outcome.report.summary(style: .brief), terminator: "")
  }
}
