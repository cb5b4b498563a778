import Syrup

/// A screen that isn't on an actor.
final class Screen {
  private(set) var title = ""
  var didChange: () -> Void = {}

  func loadInTwoSteps(_ fileURL: URL) {
    ConfigRead<Config>.open(fileURL: fileURL) / .userInitiated >>= { useResult in
      let title = try? useResult().title
      DispatchQueue.main.async {
        self.title = title ?? "failed"
        self.didChange()
      }
    }
  }

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
