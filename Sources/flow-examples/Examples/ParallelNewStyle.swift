import OperationFlow

/// Those who may see an album.
enum Audience: String, Sendable, CaseIterable {
  case friends, family, everyone
}

extension FlowKey where Value == Audience {
  static var audience: Self { "audience" }
}
extension FlowKey where Value == Bool {
  static var isPublic: Self { "isPublic" }
}
extension FlowKey where Value == [String] {
  static var pictures: Self { "pictures" }
  static var thumbnails: Self { "thumbnails" }
  static var tags: Self { "tags" }
}

extension Example {
  /// Branches that run at the same time, cases on an enum, and a step that runs only sometimes.
  private static let album = Flow("Album")
    .set(.pictures, to: ["beach.jpg", "tower.jpg", "dog.jpg"])
    .cases(on: .audience) {
      // With a branch for each value of the enum, no `otherwise` is needed.
      $0.when(.friends, .family) { $0.add("keep it private", .writes(.isPublic)) { $0[.isPublic] = false } }
      $0.when(.everyone) { $0.add("make it public", .writes(.isPublic)) { $0[.isPublic] = true } }
    }
    .parallel("prepare") {
      $0.branch("thumbnails") {
        $0.forEach(.pictures, into: .thumbnails, .named("shrink")) { picture, _ in "small \(picture)" }
        $0.add("watermark", .when(.isPublic), .writesNothing) { context in context.log("each has a watermark") }
      }
      // Each branch writes a key of its own.
      $0.branch("tags") {
        $0.add("scan", .reads(.pictures), .writes(.tags)) { context in
          context[.tags] = try context.require(.pictures).map { "a picture of a \($0.prefix { $0 != "." })" }
        }
      }
    }
    .add("publish", .reads(.thumbnails, .tags, .audience), .writesNothing) { context in
      let (thumbnails, tags) = try (context.require(.thumbnails), context.require(.tags))
      context.log("\(thumbnails.count) thumbnails and \(tags.count) tags for the \(try context.require(.audience))")
    }

  static let parallelNewStyle = Example(name: "parallel, new style") { output in
    let outcome = await album.run { $0[.audience] = .family }
    output.show(outcome)
    let lines = ["3 thumbnails and 3 tags for the family"]
    try expect(outcome.isSuccess && outcome.report.loggedLines == lines, "both branches have ended before the album")
    let skipped = outcome.report.steps.filter { $0.end == .skipped }.map(\.name)
    try expect(skipped == ["make it public", "watermark"], "nothing is made public for the family")
  }
}
