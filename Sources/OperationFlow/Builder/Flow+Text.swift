extension Flow: CustomStringConvertible, CustomReflectable {
  /// The flow's name, and a line for each step and branch, of which the first 100 are listed; without what is sensitive.
  public var description: String {
    let (blueprint, redaction) = state.withLock { ($0.sharedBlueprint().value, $0.settings.redaction) }
    let data = startingData
    let paths = blueprint.makePaths(hiding: data.sensitiveNames)
    let secrets = data.secrets(redaction)
    return blueprint.text(named: secrets.scrubbing(name), paths.hiding(redaction).scrubbing(secrets))
  }

  /// The text alone: a flow refers to its data.
  public var customMirror: Mirror { Mirror(self, children: ["description": description], displayStyle: .class) }
}

extension Blueprint {
  private static let listedCount = 100

  package func text(named name: String, _ paths: PathTable) -> String {
    let nodes = paths.outermostFirst
    var lines = ["flow \"\(LineText.escaped(name))\":" + (nodes.isEmpty ? " no steps" : "")]
    for node in nodes.prefix(Self.listedCount) {
      let name = paths.name(of: node)
      let text = paths.number(of: node).map { "\($0). \(ValueText.cutInside(name, limit: 200))" } ?? name
      let depth = min(paths.line(to: node).count, 20)
      lines.append(String(repeating: "  ", count: depth) + LineText.escaped(text))
    }
    if nodes.count > Self.listedCount { lines.append("  … and more") }
    return lines.joined(separator: "\n")
  }
}
