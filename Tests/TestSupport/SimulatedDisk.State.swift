import Foundation

/// Everything on a simulated disk.
struct DiskState: Sendable {
  /// A change of the names that isn't on the disk yet.
  enum NameChange: Sendable {
    case make(String, Int)
    case rename(String, String, Int)
    case remove(String)

    var path: String {
      switch self {
      case .make(let path, _), .rename(let path, _, _), .remove(let path): path
      }
    }
  }

  var generator: SeededGenerator
  var faults: SimulatedDisk.Faults
  /// The operation with which the process ends.
  var lastOperation: Int?
  var operationCount = 0
  var hasEnded = false
  var folders: Set<String> = []
  var files: [Int: SimulatedContents] = [:]
  var fileCount = 0
  var locks: [Int: ObjectIdentifier] = [:]
  /// The names as programs see them.
  var names: [String: Int] = [:]
  private var namesOnDisk: [String: Int] = [:]
  private var nameChanges: [NameChange] = []

  init(generator: SeededGenerator, faults: SimulatedDisk.Faults, lastOperation: Int?) {
    (self.generator, self.faults, self.lastOperation) = (generator, faults, lastOperation)
  }

  mutating func fate(of operation: String) -> SimulatedDisk.Fate {
    if hasEnded { return .failed(EIO) }
    operationCount += 1
    if operationCount == lastOperation {
      hasEnded = true
      return .last
    }
    func happens(_ oneIn: Int?, to operations: String...) -> Bool {
      guard let oneIn, operations.contains(operation) else { return false }
      return generator.oneIn(oneIn)
    }
    if happens(faults.full, to: "write", "make") { return .failed(ENOSPC) }
    if happens(faults.broken, to: "write", "shorten", "synchronize", "rename") { return .failed(EIO) }
    if happens(faults.short, to: "write") { return .short }
    if happens(faults.interrupted, to: "synchronize") { return .failed(EINTR) }
    return .done
  }

  // MARK: Names

  mutating func make(_ path: String) -> Int {
    fileCount += 1
    files[fileCount] = SimulatedContents()
    names[path] = fileCount
    nameChanges.append(.make(path, fileCount))
    return fileCount
  }

  mutating func rename(_ path: String, to other: String) {
    guard let number = names.removeValue(forKey: path) else { return }
    names[other] = number
    nameChanges.append(.rename(path, other, number))
  }

  mutating func remove(_ path: String) -> Bool {
    guard names.removeValue(forKey: path) != nil else { return false }
    nameChanges.append(.remove(path))
    return true
  }

  mutating func synchronizeNames(in folder: String) {
    for change in nameChanges where change.path.hasPrefix(folder + "/") { Self.apply(change, to: &namesOnDisk) }
    nameChanges.removeAll { $0.path.hasPrefix(folder + "/") }
  }

  mutating func synchronizeSomeNames(in folder: String) {
    if generator.oneIn(2) { synchronizeNames(in: folder) }
  }

  private static func apply(_ change: NameChange, to names: inout [String: Int]) {
    switch change {
    case .make(let path, let number): names[path] = number
    case .rename(let path, let other, let number):
      if names[path] == number { names[path] = nil }
      names[other] = number
    case .remove(let path): names[path] = nil
    }
  }

  // MARK: The next process

  mutating func restarted(
    afterPowerFailure isPowerFailure: Bool, faults: SimulatedDisk.Faults, lastOperation: Int?
  ) -> DiskState {
    var next = self
    next.faults = faults
    next.lastOperation = lastOperation
    next.operationCount = 0
    next.hasEnded = false
    next.locks = [:]
    guard isPowerFailure else { return next }
    for change in nameChanges where next.generator.oneIn(2) { Self.apply(change, to: &next.namesOnDisk) }
    next.nameChanges = []
    next.names = next.namesOnDisk
    for number in next.files.keys.sorted() { next.files[number]?.losePower(&next.generator) }
    return next
  }
}

/// A file of a simulated disk.
struct SimulatedContents: Sendable {
  private static let sector = 512

  /// The contents as programs see them.
  private(set) var contents: [UInt8] = []
  private var onDisk: [UInt8] = []
  /// The contents after each change that isn't on the disk.
  private var versions: [[UInt8]] = []
  /// The changed sectors that aren't written yet.
  private var dirty: Set<Int> = []

  mutating func write(_ bytes: ArraySlice<UInt8>, at offset: Int) {
    if bytes.isEmpty { return }
    if contents.count < offset { change(contents.count..<offset) { $0 += repeatElement(0, count: offset - $0.count) } }
    change(offset..<offset + bytes.count) { contents in
      let end = min(contents.count, offset + bytes.count)
      contents.replaceSubrange(offset..<end, with: bytes)
    }
  }

  mutating func truncate(to size: Int) {
    change(min(size, contents.count)..<max(size, contents.count)) { contents in
      if size < contents.count { contents.removeLast(contents.count - size) }
      if size > contents.count { contents += repeatElement(0, count: size - contents.count) }
    }
  }

  private mutating func change(_ range: Range<Int>, _ body: (inout [UInt8]) -> Void) {
    body(&contents)
    versions.append(contents)
    if !range.isEmpty { dirty.formUnion(range.lowerBound / Self.sector...(range.upperBound - 1) / Self.sector) }
  }

  mutating func synchronize() {
    // Only dirty sectors are written: those that an earlier error lost are no longer dirty.
    onDisk = Self.combined(size: contents.count) { dirty.contains($0) ? contents : onDisk }
    (versions, dirty) = ([], [])
  }

  /// Writes only some of the dirty sectors, and marks all of them as clean.
  mutating func synchronizeNot(_ generator: inout SeededGenerator) {
    onDisk = Self.combined(size: contents.count) { dirty.contains($0) && generator.oneIn(2) ? contents : onDisk }
    (versions, dirty) = ([], [])
  }

  mutating func losePower(_ generator: inout SeededGenerator) {
    let all = [onDisk] + versions
    let size = all[generator.oneIn(3) ? all.count - 1 : generator.below(all.count)].count
    // In a third of the cases no changed sector is lost; in the others, any of them may be.
    let style = generator.below(3)
    contents = Self.combined(size: size) { sector in
      guard dirty.contains(sector) else { return onDisk }
      return switch style {
      case 0: all[all.count - 1]
      case 1: generator.oneIn(2) ? onDisk : all[all.count - 1]
      default: all[generator.below(all.count)]
      }
    }
    onDisk = contents
    (versions, dirty) = ([], [])
  }

  mutating func damage(_ change: (inout [UInt8]) -> Void) {
    change(&contents)
    (onDisk, versions, dirty) = (contents, [], [])
  }

  /// Combines sectors of several versions; zeros replace the bytes after the end of a version.
  private static func combined(size: Int, _ source: (Int) -> [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < size {
      let range = bytes.count..<min(bytes.count + sector, size)
      let found = source(range.lowerBound / sector).dropFirst(range.lowerBound).prefix(range.count)
      bytes += found + repeatElement(0, count: range.count - found.count)
    }
    return bytes
  }
}
