extension CheckedFlow {
  /// Makes a random flow; if it shares keys, several cases may compare the same key, so that not every path is
  /// possible.
  init(seed: UInt64, isDeclared: Bool, sharesKeys: Bool) {
    var maker = Maker(random: SeededGenerator(seed: seed), isDeclared: isDeclared, sharesKeys: sharesKeys)
    self.isDeclared = isDeclared
    for name in Self.names where maker.random.oneIn(3) { data[name] = maker.value() }
    steps = maker.steps(depth: 0)
    caseKeys = maker.keys
  }

  private struct Maker {
    var random: SeededGenerator
    let isDeclared: Bool
    let sharesKeys: Bool
    var keys: Set<String> = []
    private var names = CheckedFlow.names

    init(random: SeededGenerator, isDeclared: Bool, sharesKeys: Bool) {
      (self.random, self.isDeclared, self.sharesKeys) = (random, isDeclared, sharesKeys)
    }

    mutating func value() -> Value { random.oneIn(4) ? .text : .number }

    mutating func name() -> String { names[random.below(names.count)] }

    mutating func steps(depth: Int) -> [Step] {
      (0...random.below(depth == 0 ? 5 : 3)).map { _ in step(depth: depth) }
    }

    mutating func step(depth: Int) -> Step {
      if depth < 3, keys.count < 4, random.oneIn(10) {
        var conditions = [condition()]
        if keys.count < 4, random.oneIn(2) { conditions.append(condition()) }
        return .guarded(conditions, steps(depth: depth + 1), isTyped: random.oneIn(2))
      }
      if keys.count < 4, random.oneIn(10) { return choose() }
      if isDeclared, random.oneIn(8) { return .parallel(branch(of: ["a"], depth), branch(of: ["b", "c"], depth)) }
      if random.oneIn(12) { return random.oneIn(3) ? .wait : .tryToCopy(name(), to: name()) }
      switch random.below(isDeclared ? 9 : 11) {
      case 0...2: return .write(name(), value())
      case 3...5: return .copy(name(), to: name())
      case 6 where depth < 3 && keys.count < 4: return cases(depth: depth)
      case 7 where depth < 3 && keys.count < 4: return cases(depth: depth)
      case 8 where depth < 3:
        let data = random.oneIn(2) ? [name(): value()] : [:]
        return .flow(steps(depth: depth + 1), data: data)
      case 9, 10: return .secret(name(), random.oneIn(4) ? nil : value())
      default: return random.oneIn(6) ? .group(into: name()) : .copy(name(), to: name())
      }
    }

    private mutating func key() -> String {
      let key = sharesKeys ? "k\(random.below(2))" : "k\(keys.count)"
      keys.insert(key)
      return key
    }

    /// Returns a key whose type has only two values.
    private mutating func keyOfLetters() -> String {
      let key = sharesKeys ? "f" : "f\(keys.count)"
      keys.insert(key)
      return key
    }

    private mutating func condition() -> (key: String, value: String) {
      (random.oneIn(2) ? CheckedFlow.lateKey : random.oneIn(3) ? keyOfLetters() : key(), random.oneIn(2) ? "A" : "B")
    }

    private mutating func choose() -> Step {
      let source = "source\(keys.count)"
      keys.insert(source)
      return .choose(CheckedFlow.lateKey, from: source)
    }

    /// Returns steps that run beside others, with names of their own.
    private mutating func branch(of names: [String], _ depth: Int) -> [Step] {
      self.names = names
      defer { self.names = CheckedFlow.names }
      return (0...random.below(2)).map { _ in
        if names == ["a"], keys.count < 4, random.oneIn(4) { return choose() }
        if depth < 3, keys.count < 4, random.oneIn(4) { return casesBesideOthers(of: names) }
        return work()
      }
    }

    private mutating func work() -> Step { random.oneIn(2) ? .write(name(), value()) : .copy(name(), to: name()) }

    private mutating func casesBesideOthers(of names: [String]) -> Step {
      // A branch may compare keys that only it writes.
      let key = names == ["a"] && random.oneIn(2) ? CheckedFlow.lateKey : key()
      var branches: [(condition: (key: String, value: String)?, steps: [Step])] = [((key, "A"), [work()])]
      if random.oneIn(2) { branches.append(((key, "B"), [work()])) }
      if random.oneIn(2) { branches.append((nil, [work()])) }
      return .cases(branches, isStructured: true)
    }

    mutating func cases(depth: Int) -> Step {
      // An open branch that begins with cases of its own would be part of the outer cases.
      let isStructured = random.oneIn(2)
      let isLate = (isDeclared || sharesKeys) && random.oneIn(4)
      let key = isLate ? CheckedFlow.lateKey : isStructured && random.oneIn(4) ? keyOfLetters() : key()
      var branches: [(condition: (key: String, value: String)?, steps: [Step])] = []
      for value in ["A", "B"] where branches.isEmpty || !random.oneIn(3) {
        // The second value may equal the first: then the branch is never chosen.
        let value = random.oneIn(8) ? "A" : value
        let other = !isStructured && sharesKeys && random.oneIn(3) ? self.key() : key
        branches.append(((other, value), branch(isStructured, depth)))
      }
      if random.oneIn(2) {
        branches.insert((nil, branch(isStructured, depth)), at: random.below(branches.count + 1))
      }
      return .cases(branches, isStructured: isStructured)
    }

    private mutating func branch(_ isStructured: Bool, _ depth: Int) -> [Step] {
      let steps = steps(depth: depth + 1)
      if isStructured { return steps }
      return [.write(name(), value())]
        + steps.filter { if case .cases(_, isStructured: false) = $0 { false } else { true } }
    }
  }
}
