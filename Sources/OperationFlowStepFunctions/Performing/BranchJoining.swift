import Foundation

/// Merges the data of parallel branches, all of which began with the same data: a changed value replaces the original.
///
/// The branches' data is in the library's own member of the data, as `branches`. If two branches have changed a key,
/// the later one's value counts.
enum BranchJoining {
  /// Returns the merged data.
  static func joined(_ members: [String: [UInt8]]) throws(FlowTaskFailure) -> [UInt8] {
    var own = members[DataPath.reserved].flatMap(RawJSON.knownMembers) ?? [:]
    guard let branches = own["branches"].flatMap(RawJSON.knownElements) else { throw .notATask("it has no branches") }
    own["branches"] = nil
    let base = members
    var joined = members
    let doneBefore = chain(own["done"])
    var (done, failures) = ([[UInt8]](), own["failures"].flatMap(RawJSON.knownMembers) ?? [:])
    for branch in branches {
      guard let branch = RawJSON.knownMembers(branch) else { throw .notATask("a branch has no data") }
      for name in Set(branch.keys).union(base.keys) where name != DataPath.reserved {
        if let value = branch[name] {
          if !areEqual(value, base[name]) { joined[name] = value }
        } else {
          joined[name] = nil
        }
      }
      let inner = branch[DataPath.reserved].flatMap(RawJSON.knownMembers) ?? [:]
      let branchDone = chain(inner["done"])
      // The newest entry is first, and the entries from before the branches are last.
      done = Array(branchDone.dropLast(doneBefore.count)) + done
      if let more = inner["failures"].flatMap(RawJSON.knownMembers) { failures.merge(more) { $1 } }
      if isEmpty(own["error"]), let error = inner["error"] { own["error"] = error }
    }
    if own["done"] != nil || !done.isEmpty { own["done"] = list(done + doneBefore) }
    if !failures.isEmpty { own["failures"] = RawJSON.object(failures) }
    joined[DataPath.reserved] = RawJSON.object(own)
    return RawJSON.object(joined)
  }

  /// Returns true if two values are equal, even if a service has formatted one of them differently.
  static func areEqual(_ value: [UInt8], _ other: [UInt8]?) -> Bool {
    guard let other else { return false }
    if value == other { return true }
    let objects = [value, other].map { json in
      (try? JSONSerialization.jsonObject(with: Data([0x5B] + json + [0x5D]))) as? NSArray
    }
    return objects[0].map { $0.isEqual(objects[1]) } ?? false
  }

  private static func isEmpty(_ json: [UInt8]?) -> Bool {
    json.flatMap(RawJSON.knownMembers)?.isEmpty ?? true
  }

  /// Returns the entries of a linked list, each without its member `before`, which contains the entry before it.
  private static func chain(_ json: [UInt8]?) -> [[UInt8]] {
    var (entries, next) = ([[UInt8]](), json.flatMap(RawJSON.knownMembers))
    while let members = next, !members.isEmpty {
      var entry = members
      entry["before"] = nil
      entries.append(RawJSON.object(entry))
      next = members["before"].flatMap(RawJSON.knownMembers)
    }
    return entries
  }

  /// Creates a linked list; the inverse of ``chain(_:)``.
  private static func list(_ entries: [[UInt8]]) -> [UInt8] {
    var list = Array("{}".utf8)
    for entry in entries.reversed() {
      var members = RawJSON.knownMembers(entry) ?? [:]
      members["before"] = list
      list = RawJSON.object(members)
    }
    return list
  }
}
