import Foundation

/// Compares this build with that of another commit: both run in turns, so that other load affects both alike.
struct Comparison {
  /// The reason that nothing could be compared.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// The contents of a build's file of results; older commits write fewer figures than this one.
  private struct Figures: Decodable {
    struct Time: Decodable {
      let benchmark: String
      let peer: String
      let median: Double
    }
    struct Memory: Decodable {
      let name: String
      let kibibytesEach: Double
    }

    let times: [Time]
    let memory: [Memory]

    /// The figures of a run by benchmark and peer.
    var byRow: [Row: Double] {
      let all =
        times.map { (Row(benchmark: $0.benchmark, peer: $0.peer), $0.median) }
        + memory.map { (Row(benchmark: "memory, in KiB", peer: $0.name), $0.kibibytesEach) }
      return Dictionary(all) { $1 }
    }
  }

  private struct Row: Hashable {
    let benchmark: String
    let peer: String
  }

  private let folder: URL
  private let other: URL

  /// Builds a commit in a folder of its own, unless that was done before.
  ///
  /// - Parameter commit: Any name of a commit that git accepts.
  /// - Throws: `Failure` if this isn't run in the repository, there is no such commit, or it doesn't build.
  init(against commit: String) throws {
    let top = try Self.run(["git", "rev-parse", "--show-toplevel"])
    let hash = try Self.run(["git", "rev-parse", "--short", "\(commit)^{commit}"])
    folder = URL(fileURLWithPath: "\(top)/.build/against/\(hash)")
    other = folder.appendingPathComponent(".build/release/flow-benchmarks")
    if FileManager.default.isExecutableFile(atPath: other.path) { return }
    print("Building \(hash) in \(folder.path)…")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let archive = folder.appendingPathComponent("sources.tar").path
    _ = try Self.run(["git", "archive", "--output", archive, hash])
    _ = try Self.run(["tar", "-xf", archive, "-C", folder.path])
    _ = try Self.run(
      ["swift", "build", "-c", "release", "--product", "flow-benchmarks", "--package-path", folder.path])
  }

  /// Runs a benchmark in both builds, round after round, and returns a line of the table for each row that both have.
  ///
  /// - Throws: `Failure` if a build can't run it.
  func rows(of benchmark: String, rounds: Int) throws -> [String] {
    var pairs: [Row: [(old: Double, new: Double)]] = [:]
    for round in 0..<rounds {
      // Every other round begins with the other build, so that neither build always runs second.
      let isNewFirst = round.isMultiple(of: 2)
      let first = try figures(of: benchmark, isNew: isNewFirst)
      let second = try figures(of: benchmark, isNew: !isNewFirst)
      let (new, old) = isNewFirst ? (first, second) : (second, first)
      for (row, time) in new {
        if let before = old[row], before > 0 { pairs[row, default: []].append((before, time)) }
      }
    }
    return pairs.sorted { ($0.key.benchmark, $0.key.peer) < ($1.key.benchmark, $1.key.peer) }.map { row, pairs in
      let ratios = pairs.map { $0.new / $0.old }
      let cells = [
        row.benchmark, row.peer, Self.text(pairs.map(\.old).median, 0), Self.text(pairs.map(\.new).median, 0),
        "\(Self.text(ratios.median, 2)) (\(Self.text(ratios.min() ?? 0, 2)) to \(Self.text(ratios.max() ?? 0, 2)))",
      ]
      return "| " + cells.joined(separator: " | ") + " |"
    }
  }

  static let header = """
    | benchmark | peer | ns or KiB there | here | ratio, median (minimum to maximum) |
    | --- | --- | --- | --- | --- |
    """

  private func figures(of benchmark: String, isNew: Bool) throws -> [Row: Double] {
    let program = isNew ? CommandLine.arguments[0] : other.path
    let file = folder.appendingPathComponent(isNew ? "new.json" : "old.json")
    _ = try Self.run([program, "--filter", benchmark, "--rounds", "3", "--json", file.path])
    let all = try JSONDecoder().decode(Figures.self, from: Data(contentsOf: file)).byRow
    // The filter also selects benchmarks whose names contain this one.
    return all.filter { $0.key.benchmark == benchmark || benchmark == "memory" }
  }

  private static func text(_ value: Double, _ digits: Int) -> String { String(format: "%.\(digits)f", value) }

  /// Runs a command, and returns the first line of its output.
  private static func run(_ command: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command
    // The variable would name the build folder of this package.
    process.environment = ProcessInfo.processInfo.environment.filter { $0.key != "SWIFTPM_BUILD_DIR" }
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    let text = String(decoding: data, as: UTF8.self)
    guard process.terminationStatus == 0 else {
      let line = command.joined(separator: " ")
      throw Failure(description: "`\(line)` failed: run it to see why.\n\(text.suffix(2_000))")
    }
    return String(text.prefix { $0 != "\n" })
  }
}
