import Foundation

/// Joins what parallel branches have made of the same data: what a branch has changed counts.
///
/// Each branch's data stands in the library's own member of the data, as `branches`. If two branches have changed a key,
/// the later one's value counts.
enum BranchJoining {
  /// The data afterwards.
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
      // The last one that was done comes first, and what was done before the branches comes last.
      done = Array(branchDone.dropLast(doneBefore.count)) + done
      if let more = inner["failures"].flatMap(RawJSON.knownMembers) { failures.merge(more) { $1 } }
      if isEmpty(own["error"]), let error = inner["error"] { own["error"] = error }
    }
    if own["done"] != nil || !done.isEmpty { own["done"] = list(done + doneBefore) }
    if !failures.isEmpty { own["failures"] = RawJSON.object(failures) }
    joined[DataPath.reserved] = RawJSON.object(own)
    return RawJSON.object(joined)
  }

  /// Whether two values are equal, even if a service has written one of them in another way.
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

  /// The entries of a list in which each holds those before it, without those.
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

  /// The opposite of ``chain(_:)``.
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
