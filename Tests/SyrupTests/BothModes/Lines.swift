import Syrup

/// A user's own methods of a production line, by the name that its parameter has in Syrup.
extension ProductionLine where InnerProgression == FileLock {
  func add(_ fileURLs: [URL]) {
    add(fileURLs.map { FileLock(fileURL: $0) })
  }
}

/// A user's own methods, by the name that the parameter had in Grain.
extension ProductionLine where Stage == FileLock {
  func hold(_ fileURL: URL) {
    suspend()
    add([fileURL])
  }
}
