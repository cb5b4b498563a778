/// The keys that a step's traits declare: what the step reads and writes besides the ports of its operation or group.
package final class DeclaredKeys: Sendable {
  package let reads: [StepPort]
  package let writes: [StepPort]
  /// Whether the step declares what it reads; if not, it may read anything.
  package let declaresReads: Bool
  /// Whether the step declares what it writes; if not, it may write anything.
  let declaresWrites: Bool
  /// The names of a group's own arrays, which its closure may use as well.
  private let groupNames: Set<String>

  init(reads: [StepPort]? = nil, writes: [StepPort]? = nil, groupNames: Set<String> = []) {
    (self.reads, self.writes, self.groupNames) = (reads ?? [], writes ?? [], groupNames)
    (declaresReads, declaresWrites) = (reads != nil, writes != nil)
  }

  /// These keys combined with others, and with a group's arrays; `nil` declares nothing about reading or writing.
  func adding(
    reads more: [StepPort]? = nil, writes others: [StepPort]? = nil, ofGroup names: [String?] = []
  ) -> DeclaredKeys {
    DeclaredKeys(
      reads: declaresReads || more != nil ? reads + (more ?? []) : nil,
      writes: declaresWrites || others != nil ? writes + (others ?? []) : nil,
      groupNames: groupNames.union(names.compactMap(\.self)))
  }

  /// A step may read what it writes.
  func allowsReading(_ name: String) -> Bool {
    !declaresReads || reads.contains { $0.name == name } || isWritten(name)
  }

  func allowsWriting(_ name: String) -> Bool { !declaresWrites || isWritten(name) }

  private func isWritten(_ name: String) -> Bool {
    writes.contains { $0.name == name } || groupNames.contains(name)
  }
}
