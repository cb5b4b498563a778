import OperationFlow
import TestSupport

/// A generator of random flows that can be exported; the same seed always makes the same flow.
struct RandomExport {
  private var random: SeededGenerator
  private let lines: Journal<String>
  private var count = 0
  /// False if a failure would make the result random, as beside a parallel branch.
  private var mayFail = true
  /// True if the flow has undos in a random order.
  private(set) var hasParallel = false
  private var prefix = ""

  init(seed: UInt64, _ lines: Journal<String>) {
    random = SeededGenerator(seed: seed)
    self.lines = lines
  }

  /// Returns a flow whose steps append lines, so that two runs can be compared.
  mutating func make() -> Flow {
    let flow = Flow("Random").set(.count, to: random.below(5)).set(.numbers, to: numbers())
    if random.oneIn(2) { flow.set(.target, to: word()) }
    if random.oneIn(2) { flow.set(.isWanted, to: random.oneIn(2)) }
    add(to: flow, 1 + random.below(5), depth: 0)
    if random.oneIn(3) {
      for number in 0...random.below(2) {
        let (lines, fails) = (lines, random.oneIn(4))
        flow.always("Always \(number)") { inner in
          inner.add("end \(number)") { context in
            lines.append("always \(number) \(context.ending?.isSuccess ?? false)")
            if fails { throw TestError(name: "always \(number)") }
          }.add("after \(number)", .writesNothing) { _ in lines.append("after \(number)") }
        }
      }
    }
    return flow
  }

  private mutating func word() -> String { ["A", "B", "C"][random.below(3)] }

  private mutating func numbers() -> [Int] {
    let hasFailure = random.oneIn(4)
    return (0..<random.below(6)).map { _ in random.below(4) } + (hasFailure ? [-1, 2, -2] : [])
  }

  private mutating func add(to flow: Flow, _ count: Int, depth: Int) {
    for _ in 0..<count { addStep(to: flow, depth: depth) }
  }

  private mutating func addStep(to flow: Flow, depth: Int) {
    count += 1
    switch random.below(depth < 2 ? 10 : 5) {
    case 0, 1: addDeclared(to: flow)
    case 2: addUndeclared(to: flow)
    case 3: addGroup(to: flow)
    case 4: if prefix.isEmpty { flow.add(CountOp(), .named("count \(count)")) } else { addDeclared(to: flow) }
    case 5, 6: addCases(to: flow, depth)
    case 7: addFlow(to: flow, depth)
    case 8 where mayFail: addParallel(to: flow, depth)
    default: addConditional(to: flow)
    }
  }

  private mutating func key() -> FlowKey<Int> { FlowKey(prefix + "k\(random.below(4))") }

  private mutating func addDeclared(to flow: Flow) {
    let (id, key, lines, chance) = (count, key(), lines, random.below(8))
    let (fails, retries) = (mayFail && chance == 0, chance == 1)
    @Sendable func work(_ context: FlowContext) throws {
      if retries, context.attempt < 3 { throw TestError(name: "again \(id)") }
      lines.append("step \(id) \(context.attempt)")
      if fails { throw TestError(name: "step \(id)") }
      context[key] = try context.require(.count) + id
    }
    switch random.below(3) {
    case 0:
      let undo = StepTrait<FlowStep.Repeatable>.undo { context in
        lines.append("undo \(id) \(context.ending?.error != nil)")
        if id.isMultiple(of: 3) { throw TestError(name: "undo \(id)") }
      }
      flow.add("d \(id)", .reads(.count), .writes(key), .retry(.attempts(3)), undo) { try work($0) }
    case 1: flow.add("d \(id)", .reads(.count), .writes(key), .retry(.attempts(3))) { try work($0) }
    default:
      flow.add("d \(id)", .reads(.count), .writesNothing) { _ in lines.append("nothing \(id)") }
    }
  }

  private mutating func addUndeclared(to flow: Flow) {
    let (id, first, second, lines) = (count, key(), key(), lines)
    let (kind, isInBranch) = (random.below(mayFail ? 5 : 4), !prefix.isEmpty)
    flow.add("u \(id)") { context in
      lines.append("step \(id)")
      switch kind {
      case 0: context[first] = nil
      case 1: if !isInBranch { context[.target] = "B" }
      case 4: context[second] = try context.require(first)
      default: context[first] = (context[second] ?? 0) + 1
      }
    }
  }

  private mutating func addGroup(to flow: Flow) {
    let (id, lines) = (count, lines)
    let output = FlowKey<[Int]>(prefix + "squares\(random.below(2))")
    let tolerance = mayFail ? [FlowTolerance.none, .failures(1), .share(0.5), .all][random.below(4)] : .all
    @Sendable func square(_ number: Int, _ context: FlowContext) throws -> Int {
      if number < 0 { throw TestError(name: "item") }
      return number * number + (try context.require(.count))
    }
    switch random.below(4) {
    case 0:
      flow.forEach(.numbers, into: output, tolerating: tolerance, run: SquareOp.self, .named("g \(id)"))
    case 1:
      flow.forEach(
        .numbers, into: output, width: 1, tolerating: .all, .named("g \(id)"),
        .undo { lines.append("undo \(id) #\($0.index ?? -1) \(try $0.item() as Int) \(try $0.output() as Int)") }
      ) { try square($0, $1) }
    case 2:
      flow.forEach(.numbers, into: output, tolerating: tolerance, .reads(.count), .named("g \(id)")) {
        try square($0, $1)
      }
    default: flow.forEach(.numbers, tolerating: tolerance, .named("g \(id)")) { _ = try square($0, $1) }
    }
  }

  private mutating func addCases(to flow: Flow, _ depth: Int) {
    let hasOtherwise = random.oneIn(2)
    let counts = (0..<3).map { _ in random.below(3) }
    let isOnWord = random.oneIn(2)
    let (left, right, other) = (Flow(), Flow(), Flow())
    for (flow, count) in [(left, counts[0]), (right, counts[1]), (other, counts[2])] {
      add(to: flow, max(1, count), depth: depth + 1)
    }
    if isOnWord {
      flow.cases(on: .target) {
        $0.when("A") { $0.add(flow: left) }
        $0.when("B", "C") { $0.add(flow: right) }
        if hasOtherwise { $0.otherwise { $0.add(flow: other) } }
      }
    } else {
      flow.cases(on: .count) {
        $0.when(1, 2) { $0.add(flow: left) }
        $0.when(3) { $0.add(flow: right) }
        if hasOtherwise { $0.otherwise { $0.add(flow: other) } }
      }
    }
  }

  private mutating func addFlow(to flow: Flow, _ depth: Int) {
    let inner = Flow("inner \(count)")
    if prefix.isEmpty { inner.set(key(), to: count).set(.target, to: word()) }
    add(to: inner, 1 + random.below(3), depth: depth + 1)
    flow.add(flow: inner)
  }

  private mutating func addParallel(to flow: Flow, _ depth: Int) {
    let id = count
    (hasParallel, mayFail) = (true, false)
    defer { (mayFail, prefix) = (true, "") }
    var branches: [Flow] = []
    for place in 0...random.below(3) {
      prefix = "p\(id)b\(place) "
      let branch = Flow()
      add(to: branch, 1 + random.below(2), depth: depth + 1)
      branches.append(branch)
    }
    flow.parallel("parallel \(id)") { collected in
      for (place, branch) in branches.enumerated() { collected.branch("b\(place)") { $0.add(flow: branch) } }
    }
  }

  private mutating func addConditional(to flow: Flow) {
    let (id, key, lines) = (count, key(), lines)
    let conditions: [StepTrait<FlowStep.Repeatable>] = [
      .when(.isWanted), .when(.target, is: "A"), .when(.count, is: 2), .when { $0[key] != nil },
      .when(.count) { $0 > 2 },
    ]
    flow.add("c \(id)", conditions[random.below(conditions.count)], .reads(.count), .writes(key)) { context in
      lines.append("step \(id)")
      context[key] = id
    }
  }
}
