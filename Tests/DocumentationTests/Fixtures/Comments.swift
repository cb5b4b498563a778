// What the code in documentation comments uses and doesn't declare.

extension FlowKey where Value == String {
  static var user: Self { "user" }
  static var greeting: Self { "greeting" }
  static var target: Self { "target" }
  static var link: Self { "link" }
}
extension FlowKey where Value == [URL] {
  static var photos: Self { "photos" }
  static var links: Self { "links" }
}
extension FlowKey where Value == Publication {
  static var draft: Self { "draft" }
}

struct Account {
  let number: Int
}

enum Publication: Progression {
  case draft(String)

  mutating func advance() async throws {}
  var result: String? { nil }
}

class StepOp: FlowOperation, @unchecked Sendable {
  override func run() async throws {}
}
final class LoginOp: StepOp, @unchecked Sendable {}
final class LoadProfileOp: StepOp, @unchecked Sendable {}
final class ResizeOp: StepOp, @unchecked Sendable {}
final class WatermarkOp: StepOp, @unchecked Sendable {}
final class CleanUpOp: StepOp, @unchecked Sendable {}
final class ThumbnailsOp: StepOp, @unchecked Sendable {}
final class ScanOp: StepOp, @unchecked Sendable {}
final class TagOp: StepOp, @unchecked Sendable {}

struct Uploader: Sendable {
  func upload(_ photos: [String]) async throws -> [String] { photos }
}

func publishing() throws -> Flow { Flow("Publish") }
func upload(_ photo: URL) async throws {}
func download(_ url: URL) async throws -> Data { Data() }

var client: StepFunctionsClient { made() }
let clock = ManualClock()
let words = ["to", "be"]
let uploader = Uploader()
let photos = ["1.jpg"]
let photo = "1.jpg"
let url = directory
let folder = directory
let input = Data()
let activity = "activity"
var report: FlowReport { outcome.report }
