/// The keys that a step's traits declare: what the step reads and writes besides the ports of its operation or group.
package final class DeclaredKeys: Sendable {
  package let reads: [InputPort]
  package let writes: [OutputPort]
  /// Whether the step declares what it reads; if not, it may read anything.
  package let declaresReads: Bool
  /// Whether the step declares what it writes; if not, it may write anything.
  let declaresWrites: Bool
  /// The names of a group's own arrays, which its closure may use as well.
  private let groupNames: Set<String>
  private let readNames: Set<String>
  private let writtenNames: Set<String>

  init(reads: [InputPort]? = nil, writes: [OutputPort]? = nil, groupNames: Set<String> = []) {
    self.reads = reads ?? []
    self.writes = writes ?? []
    declaresReads = reads != nil
    declaresWrites = writes != nil
    self.groupNames = groupNames
    writtenNames = Set(self.writes.map(\.name)).union(groupNames)
    // A step may read what it writes.
    readNames = Set(self.reads.map(\.name)).union(writtenNames)
  }

  /// These keys combined with others, and with a group's arrays; `nil` declares nothing about reading or writing.
  func adding(
    reads more: [InputPort]? = nil, writes others: [OutputPort]? = nil, ofGroup names: [String?] = []
  ) -> DeclaredKeys {
    DeclaredKeys(
      reads: declaresReads || more != nil ? reads + (more ?? []) : nil,
      writes: declaresWrites || others != nil ? writes + (others ?? []) : nil,
      groupNames: groupNames.union(names.compactMap(\.self)))
  }

  func allowsReading(_ name: String) -> Bool { !declaresReads || readNames.contains(name) }

  func allowsWriting(_ name: String) -> Bool { !declaresWrites || writtenNames.contains(name) }
}
