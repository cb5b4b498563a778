import Syrup

/// A user's own words on top of a production line, by the name that its parameter has in Syrup.
extension ProductionLine where InnerProgression == FileLock {
  func add(_ fileURLs: [URL]) {
    add(fileURLs.map { FileLock(fileURL: $0) })
  }
}

/// The same, by the name that it had in Grain.
extension ProductionLine where Stage == FileLock {
  func hold(_ fileURL: URL) {
    suspend()
    add([fileURL])
  }
}
