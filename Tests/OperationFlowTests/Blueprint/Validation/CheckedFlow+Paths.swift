extension CheckedFlow {
  /// The end of a run.
  enum End: Hashable {
    case success
    case missing(String)
    case mismatched(String)
  }

  /// All combinations of values of the keys that cases compare.
  var combinations: [[String: String]] {
    Self.combinations(of: caseKeys)
  }

  private static func combinations(of keys: Set<String>) -> [[String: String]] {
    keys.sorted().reduce([[:]]) { combinations, key in
      combinations.flatMap { combination in
        caseValues.prefix(isOfLetters(key) ? 2 : 3).map { combination.merging([key: $0]) { $1 } }
      }
    }
  }

  /// Returns the possible ends of a run with these values of the keys that cases compare.
  ///
  /// There may be several ends, because parallel branches may fail in any order.
  func ends(_ keys: [String: String]) -> Set<End> { walk([keys], changingKeys: false) }

  /// The possible ends of runs if a step without declarations may also change the keys that cases compare.
  var possibleEnds: Set<End> {
    walk(combinations, changingKeys: true)
  }

  /// All failures on any path if runs continue after a failure, as the check does.
  var allFaults: Set<End> { walk(combinations, changingKeys: true, continues: true) }

  private func walk(_ combinations: [[String: String]], changingKeys: Bool, continues: Bool = false) -> Set<End> {
    var walk = PathWalk(keys: changingKeys ? caseKeys.union([Self.lateKey]) : [], continues: continues)
    let stored = data.mapValues { Held.value($0) }
    let (ends, early) = walk.run(steps, Set(combinations.map { stored.merging($0.mapValues(Held.key)) { $1 } }))
    return walk.failures.union(ends.isEmpty && early.isEmpty ? [] : [.success])
  }

  fileprivate enum Held: Hashable {
    case value(Value)
    case key(String)
    case list
  }

  /// A walk over all paths at once: for each place it has every possible state of the data.
  private struct PathWalk {
    typealias Buckets = Set<[String: Held]>
    let keys: Set<String>
    let continues: Bool
    var failures: Set<End> = []

    /// Returns the data after the steps, and the data if a flow ended early.
    mutating func run(_ steps: [Step], _ buckets: Buckets) -> (ends: Buckets, early: Buckets) {
      var (current, early) = (buckets, Buckets())
      for step in steps {
        switch step {
        case .write(let name, let value): current = changed(current) { $0[name] = .value(value) }
        case .group(let name): current = changed(current) { $0[name] = .list }
        case .secret(let name, let value):
          let written = changed(current) { $0[name] = value.map(Held.value) }
          let changes = CheckedFlow.combinations(of: keys)
          current = Buckets(written.flatMap { old in changes.map { old.merging($0.mapValues(Held.key)) { $1 } } })
        case .copy(let source, let target): current = copied(current, source, target)
        case .tryToCopy(let source, let target):
          current = changed(current) { if $0[source] == .value(.number) { $0[target] = .value(.number) } }
        case .wait: break
        case .cases(let branches, _):
          var ends = Buckets()
          for (index, buckets) in Dictionary(grouping: current, by: { Self.branch(branches, $0) }) {
            guard let index else {
              early.formUnion(buckets)
              continue
            }
            let inner = run(branches[index].steps, Buckets(buckets))
            ends.formUnion(inner.ends)
            early.formUnion(inner.early)
          }
          current = ends
        case .flow(let steps, let data):
          let begun = changed(current) { $0.merge(data.mapValues(Held.value)) { old, _ in old } }
          let inner = run(steps, begun)
          current = inner.ends.union(inner.early)
        case .choose(let key, let source): current = changed(current) { $0[key] = $0[source] }
        case .parallel(let left, let right): current = concurrent(current, left, right)
        case .guarded(let conditions, let steps, _):
          let met = current.filter { bucket in conditions.allSatisfy { bucket[$0.key] == .key($0.value) } }
          let inner = run(steps, met)
          current = current.subtracting(met).union(inner.ends).union(inner.early)
        }
      }
      return (current, early)
    }

    private mutating func concurrent(_ buckets: Buckets, _ left: [Step], _ right: [Step]) -> Buckets {
      var ends = Buckets()
      for bucket in buckets {
        let (lefts, rights) = (run(left, [bucket]), run(right, [bucket]))
        // If no case matches, only the branch ends early.
        for left in lefts.ends.union(lefts.early) {
          ends.formUnion(
            changed(rights.ends.union(rights.early)) { bucket in
              for name in ["a", CheckedFlow.lateKey] { bucket[name] = left[name] }
            })
        }
      }
      return ends
    }

    private func changed(_ buckets: Buckets, _ change: (inout [String: Held]) -> Void) -> Buckets {
      Buckets(
        buckets.map { bucket in
          var bucket = bucket
          change(&bucket)
          return bucket
        })
    }

    private mutating func copied(_ buckets: Buckets, _ source: String, _ target: String) -> Buckets {
      var copied = Buckets()
      for var bucket in buckets {
        let found = bucket[source]
        if found != .value(.number) { failures.insert(found == nil ? .missing(source) : .mismatched(source)) }
        if found == .value(.number) || continues {
          bucket[target] = .value(.number)
          copied.insert(bucket)
        }
      }
      return copied
    }

    /// Returns the index of the chosen branch.
    private static func branch(
      _ branches: [(condition: (key: String, value: String)?, steps: [Step])], _ bucket: [String: Held]
    ) -> Int? {
      let fitting = branches.firstIndex { branch in
        guard let condition = branch.condition else { return false }
        return bucket[condition.key] == .key(condition.value)
      }
      return fitting ?? branches.firstIndex { $0.condition == nil }
    }
  }
}
