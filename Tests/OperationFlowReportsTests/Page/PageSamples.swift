import Foundation
import OperationFlow

/// The runs from which the tests make pages.
enum PageSamples {
  /// Runs a flow with every kind of step, in which some items and the last step fail.
  static func album() async -> FlowOutcome {
    await Flow("Publish album")
      .set(.account, to: "ann@example.com").set("target", to: "web")
      .set(.token, to: "hunter2-token")
      .set("photos", to: (1...40).map { "photo-\($0).jpg" })
      .add("sign in", .reads(.account), .writes(.session), .retry(.attempts(3)), .undo { $0.log("signed out") }) {
        context in
        try await pause(2)
        if context.attempt < 2 { throw Refusal.busy(seconds: 1) }
        context["session"] = "session-7"
      }
      .parallel("prepare") {
        $0.branch("thumbnails") {
          $0.forEach("photos", into: "thumbnails", width: 4, tolerating: .failures(5), .retry(.attempts(2))) {
            (photo: String, context) in
            try await pause(1 + (context.index ?? 0) % 5)
            if (context.index ?? 0) % 13 == 7 { throw Refusal.unreadable(photo) }
            return "small-" + photo
          }
        }
        $0.branch("tags") {
          $0.add("scan", .writes(.tags), .timeout(.seconds(30))) { context in
            context.log("scanning 40 photos", level: .debug)
            try await pause(6)
            context.log("photo-12.jpg has no date", level: .warning)
            context["tags"] = ["sea", "harbour", "night"]
          }
          $0.add("sort") { _ in try await pause(2) }
        }
      }
      .cases(on: "target") {
        $0.when("web") {
          $0.add(
            flow: Flow("Gallery")
              .add("layout", .writes(.pages)) { context in
                try await pause(3)
                context["pages"] = 4
              }
              .add("upload", .reads(.pages, .session), .writes(.address), .undo { $0.log("removed the pages") }) {
                context in
                try await pause(4)
                context["address"] = "https://example.com/albums/7"
              })
        }
        $0.when("print") { $0.add("order prints") { _ in } }
        $0.otherwise { $0.add("archive", .undo { _ in }) { _ in } }
      }
      .add("check links", .when { $0["never"] != nil }) { _ in }
      .add(
        "publish", .reads(.address, .account, .token), .writes(FlowKey<Int>("pages")), .timeout(.seconds(10))
      ) { context in
        context.log("publishing", level: .info)
        try await pause(2)
        context["pages"] = 5
        throw Refusal.quota(used: 40, allowed: 25)
      }
      .add("announce", .reads(.address)) { _ in }
      .always { $0.add("remove folder") { _ in try await pause(1) } }
      .run()
  }

  static func pause(_ milliseconds: Int) async throws {
    try await Task.sleep(for: .milliseconds(milliseconds * 5))
  }

  enum Refusal: Error {
    case busy(seconds: Int)
    case unreadable(String)
    case quota(used: Int, allowed: Int)
  }
}

extension FlowKey where Value == String {
  fileprivate static var account: Self { "account" }
  fileprivate static var session: Self { "session" }
  fileprivate static var address: Self { "address" }
  fileprivate static var token: Self { FlowKey("token", sensitive: true) }
}

extension FlowKey where Value == Int {
  fileprivate static var pages: Self { "pages" }
}

extension FlowKey where Value == [String] {
  fileprivate static var tags: Self { "tags" }
}
