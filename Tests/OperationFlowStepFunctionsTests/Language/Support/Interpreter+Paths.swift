extension Interpreter {
  /// Returns the value at a path; throws if there is none.
  func path(_ path: String, _ data: Value, _ context: Value) throws -> Value {
    guard let found = find(path, data, context) else {
      throw Failure(error: "States.Runtime", cause: "nothing at \(path)", isCaught: false)
    }
    return found
  }

  /// Returns the value at a path; `nil` if there is none.
  func find(_ path: String, _ data: Value, _ context: Value) -> Value? {
    var rest = path[...]
    var value = rest.hasPrefix("$$") ? context : data
    rest = rest.drop { $0 == "$" }
    for name in Self.names(String(rest)) {
      guard let inner = value[name] else { return nil }
      value = inner
    }
    return value
  }

  /// Splits a path, such as `.name` or `['a name']`, into names.
  static func names(_ path: String) -> [String] {
    var (names, rest) = ([String](), path[...])
    while let first = rest.first {
      if first == "." {
        let name = rest.dropFirst().prefix { $0 != "." && $0 != "[" }
        names.append(String(name))
        rest = rest.dropFirst(1 + name.count)
      } else {
        let name = rest.dropFirst(2).prefix { $0 != "'" }
        names.append(String(name))
        rest = rest.dropFirst(4 + name.count)
      }
    }
    return names
  }

  /// Returns a template with the values at its paths.
  func template(_ template: Value, _ data: Value, _ context: Value) throws -> Value {
    guard let members = template.members else { return template }
    var result: [String: Value] = [:]
    for (name, value) in members {
      if name.hasSuffix(".$") {
        result[String(name.dropLast(2))] = try merged(value.text ?? "", data, context)
      } else {
        result[name] = try self.template(value, data, context)
      }
    }
    return .object(result)
  }

  /// Returns the value at a path, or the merged values of `States.JsonMerge`; members of the second one replace others.
  private func merged(_ text: String, _ data: Value, _ context: Value) throws -> Value {
    guard let parts = text.wholeMatch(of: #/States\.JsonMerge\(([^,]+), ([^,]+), false\)/#) else {
      return try path(text, data, context)
    }
    let objects = try [parts.1, parts.2].map { try path(String($0), data, context).members ?? [:] }
    return .object(objects[0].merging(objects[1]) { $1 })
  }

  /// Returns the data with a result at its path: only the result if there is no path, and only the data if it is null.
  func placed(_ result: Value, _ path: Value?, _ data: Value) throws -> Value {
    guard let path else { return result }
    guard let text = path.text else { return data }
    return Self.set(result, at: Self.names(String(text.dropFirst()))[...], in: data)
  }

  private static func set(_ value: Value, at names: ArraySlice<String>, in data: Value) -> Value {
    guard let first = names.first else { return value }
    var members = data.members ?? [:]
    members[first] = set(value, at: names.dropFirst(), in: members[first] ?? .object([:]))
    return .object(members)
  }
}
