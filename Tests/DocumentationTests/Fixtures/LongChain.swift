// Calls of every kind in one expression; the test repeats them.

func chain() -> Flow {
  Flow("Long")
    .add(LoginOp(), .weight(3), .named("log in"))
    .add("reserve", .reads(.email, .count), .writes(.seat)) { context in
      context[.seat] = try "for " + context.require(.email)
    }
    .add("wait", .writesNothing) { context in try await Task.sleep(for: .zero) }
    .forEach(.photos, into: .links, width: 3, tolerating: .failures(2), .named("upload"), .reads(.seat)) {
      photo, context in
      photo.deletingLastPathComponent()
    }
    .forEach(in: 0..<10, width: 2) { number, context in
      try await Task.sleep(for: .zero)
      return context.update(.count, default: 0) { $0 += number }
    }
    .cases(on: .target, .weight(2)) {
      $0.when("web") { $0.add(LoginOp()).add("count") { context in context[.count] = 1 } }
      $0.otherwise { $0.add(LoginOp()) }
    }
    .parallel("both", .when(.email, is: "a")) {
      $0.branch("left") { $0.add(LoginOp(), .when { $0[.links] != nil }) }
      $0.branch("right") { $0.cases(on: .count) { $0.when(1, 2) { $0.add(LoginOp()) }.when(3) { $0.add(LoginOp()) } } }
    }
    .forEach(.photos, into: .links, .onEachResult { result, index, context in print(result, index) }) {
      photo, context in
      photo.deletingLastPathComponent()
    }
    .forEach(.photos, into: .links, run: UploadOp.self)
    .add(operation: LoginOp(), .named("again"), flowCase: FlowCase(key: "target", value: "a"))
    .combine()
    .add("log") { context in context.log("\(context[.links]?.count ?? 0) links") }
}
