import Foundation
import TestSupport
import Testing

/// Checks the names in `.spi.yml` and in the workflow, which other services read, against `Package.swift`.
@Suite(.watched) struct RepositoryTests {
  @Test func `the index and the workflow name what the manifest has`() throws {
    #expect(try OthersNames().complaints() == [])
  }

  @Test(
    arguments: [
      (".spi.yml", "OperationFlowTesting]", "NoSuchModule]"), (".spi.yml", "platform: tvos", "platform: windows"),
      (".spi.yml", "scheme: OperationFlow", "scheme: Operations"), ("ci.yml", "swift: [\"6.2\", ", "swift: ["),
      ("ci.yml", "Flow_iOS Syrup; do", "Flow_iOS; do"), ("ci.yml", "watchOS, ", ""),
      ("ci.yml", ".ci/run", ".ci/no-such"), ("ci.yml", "DEVELOPER_DIR: ", "FOLDER: "),
    ])
  func `a name that is planted is found`(file: String, old: String, new: String) throws {
    var names = try OthersNames()
    let path = file == ".spi.yml" ? \OthersNames.index : \OthersNames.workflow
    let changed = names[keyPath: path].replacing(old, with: new)
    try #require(changed != names[keyPath: path], "\(file) has no \(old)")
    names[keyPath: path] = changed
    #expect(try names.complaints() != [])
  }
}

/// The names in the files that other services read.
private struct OthersNames {
  private static let workflowPath = ".github/workflows/ci.yml"

  let manifest: String
  var index: String
  var workflow: String

  init() throws {
    manifest = try SourceTree.text(of: "Package.swift")
    index = try SourceTree.text(of: ".spi.yml")
    workflow = try SourceTree.text(of: Self.workflowPath)
  }

  func complaints() throws -> [String] {
    let libraries = Set(all(#/\.library\(name: "(\w+)"/#, in: manifest))
    // macOS needs no scheme.
    let platforms = Set(all(#/\.(\w+OS)\(/#, in: manifest)).subtracting(["macOS"])
    let tools = all(#/^\/\/ swift-tools-version: ([0-9.]+)/#, in: manifest)
    let documented = Set(list(#/documentation_targets: \[(.*)\]/#, in: index))
    let catalogs = SourceTree.files(in: "Sources", ending: ".docc").map { $0.split(separator: "/")[1] }
    let schemes = Set(list(#/for scheme in (.*); do/#, in: workflow))
    let checks = all(#/(\.ci\/[a-z\-]+)/#, in: workflow).filter {
      !FileManager.default.isExecutableFile(atPath: SourceTree.root.appendingPathComponent($0).path)
    }
    let xcodes = all(#/DEVELOPER_DIR: \/Applications\/(Xcode_[\d.]+)\.app\/Contents\/Developer/#, in: workflow)
    let facts: [(Bool, String)] = [
      (!libraries.isEmpty && !platforms.isEmpty && tools.count == 1, "Package.swift is not read"),
      (index.utf8.count <= 1_000, ".spi.yml is longer than what the index reads"),
      (documented == Set(catalogs.map(String.init)), ".spi.yml documents other modules than those with a catalog"),
      (documented.isSubset(of: libraries), ".spi.yml documents what is no library"),
      (libraries.isSuperset(of: all(#/scheme: (\w+)/#, in: index)), ".spi.yml builds a scheme that is no library"),
      (Set(all(#/platform: (\w+)$/#, in: index)) == Set(platforms.map { $0.lowercased() }), ".spi.yml: platforms"),
      (Set(list(#/platform: \[(.*)\]/#, in: workflow)) == platforms, "the workflow builds for other platforms"),
      (schemes == libraries, "the workflow builds other schemes than the libraries"),
      (
        list(#/swift: \[(.*)\]/#, in: workflow).first == tools.first, "the workflow's first Swift is not the manifest's"
      ),
      (
        xcodes.count == all(#/runs-on: (macos-\d+)/#, in: workflow).count && Set(xcodes).count == 1,
        "the workflow's jobs on macOS name no Xcode, or two: \(xcodes)"
      ),
      (checks.isEmpty, "the workflow runs what is not there: \(checks)"),
    ]
    return facts.filter { !$0.0 }.map(\.1)
  }

  /// Returns what the pattern's group matches, in every line.
  private func all(_ pattern: some RegexComponent<(Substring, Substring)>, in text: String) -> [String] {
    text.matches(of: pattern.regex.anchorsMatchLineEndings()).map { String($0.output.1) }
  }

  /// Returns the elements of the lists that the pattern's group matches.
  private func list(_ pattern: some RegexComponent<(Substring, Substring)>, in text: String) -> [String] {
    all(pattern, in: text).flatMap { $0.split { ", \"".contains($0) }.map(String.init) }
  }
}
