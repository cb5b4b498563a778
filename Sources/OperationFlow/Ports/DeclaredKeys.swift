/// The keys that a step's traits declare: what the step reads and writes besides the ports of its operation or group.
package final class DeclaredKeys: Sendable {
  /// `nil` if the step may read anything.
  package let reads: [StepPort]?
  /// `nil` if the step may write anything.
  package let writes: [StepPort]?
  /// The names of a group's own arrays, which its closure may use as well.
  private let groupNames: Set<String>

  init(reads: [StepPort]? = nil, writes: [StepPort]? = nil, groupNames: Set<String> = []) {
    self.reads = reads
    self.writes = writes
    self.groupNames = groupNames
  }

  /// These keys combined with others, and with a group's arrays; `nil` declares nothing about reading or writing.
  func adding(
    reads more: [StepPort]? = nil, writes others: [StepPort]? = nil, ofGroup names: [String?] = []
  ) -> DeclaredKeys {
    DeclaredKeys(
      reads: more.map { (reads ?? []) + $0 } ?? reads, writes: others.map { (writes ?? []) + $0 } ?? writes,
      groupNames: groupNames.union(names.compactMap(\.self)))
  }

  /// A step may read what it writes.
  func allowsReading(_ name: String) -> Bool {
    reads?.contains { $0.name == name } ?? true || isWritten(name)
  }

  func allowsWriting(_ name: String) -> Bool { writes == nil || isWritten(name) }

  private func isWritten(_ name: String) -> Bool {
    writes?.contains { $0.name == name } ?? false || groupNames.contains(name)
  }
}
