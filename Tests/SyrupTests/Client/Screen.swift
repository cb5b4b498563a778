import Syrup

/// A screen of the main actor, as a view controller is.
@MainActor
final class Screen {
  private(set) var title = ""
  var didChange: () -> Void = {}

  func load(_ fileURL: URL) {
    ConfigRead<Config>.open(fileURL: fileURL) / .userInitiated >>=
      .main + { useResult in
        do {
          self.title = try useResult().title
        } catch {
          self.title = "\(error)"
        }
        self.didChange()
      }
  }
}
