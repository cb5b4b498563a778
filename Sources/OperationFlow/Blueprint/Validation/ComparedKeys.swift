/// The keys that cases and conditions compare, as far as paths have to be told apart by them.
struct ComparedKeys: Sendable {
  /// Those that more than one step compares, so that these depend on each other.
  private(set) var shared: Set<String> = []
  /// Those that a step writes, so that they may be there on one path and missing on another.
  private(set) var written: Set<String> = []

  init(_ blueprint: Blueprint, _ facts: BlueprintFacts) {
    // Without conditions, only steps that contain others compare keys.
    guard blueprint.has(.traits) || !blueprint.hasOnlyWork else { return }
    var all: Set<String> = []
    for step in blueprint.steps {
      compare((step.options?.conditions ?? []).compactMap { $0.input?.name }, &all)
      if case .cases(let cases) = step.kind { compare(cases.branches.compactMap(\.condition.key), &all) }
    }
    if all.isEmpty { return }
    for (step, ports) in zip(blueprint.steps, facts.ports) {
      for port in ports.outputs + ports.itemWrites where all.contains(port.name) { written.insert(port.name) }
      if case .flow(_, let data, _) = step.kind { written.formUnion(data.keys.filter(all.contains)) }
    }
  }

  private mutating func compare(_ keys: [String], _ all: inout Set<String>) {
    for key in Set(keys) where !all.insert(key).inserted { shared.insert(key) }
  }
}
