import OperationFlow

/// The people who may see a picture.
private enum Audience: String, CaseIterable {
  case friends, family, everyone
}

extension FlowKey where Value == String {
  fileprivate static var target: Self { "target" }
  fileprivate static var size: Self { "size" }
}
extension FlowKey where Value == Audience {
  fileprivate static var audience: Self { "audience" }
}
extension FlowKey where Value == Bool {
  fileprivate static var isPublic: Self { "isPublic" }
}

/// Runs steps that depend on values: cases on a text, cases in cases, cases on an enum, and a step with a condition.
enum Cases {
  static func main() async throws {
    let publish = Flow("Publish")
      .set(.size, to: "small")
      .add("load", .writesNothing) { _ in }
      .cases(on: .target) {
        $0.when("web") {
          $0.cases(on: .size) {
            $0.when("small") { $0.add("shrink", .writesNothing) { _ in } }
            $0.otherwise { $0.add("keep", .writesNothing) { _ in } }
          }
          $0.add("put on the web", .writesNothing) { _ in }
        }
        $0.when("print") { $0.add("print", .writesNothing) { _ in } }
        // Without a branch for no match, the flow would end here, as a success; `validate()` warns of that.
        $0.otherwise { $0.add("archive", .writesNothing) { _ in } }
      }
      // With a branch for each value of the enum, no `otherwise` is needed.
      .cases(on: .audience) {
        $0.when(.friends, .family) { $0.add("keep it private", .writes(.isPublic)) { $0[.isPublic] = false } }
        $0.when(.everyone) { $0.add("make it public", .writes(.isPublic)) { $0[.isPublic] = true } }
      }
      .add("watermark", .when(.isPublic), .writesNothing) { _ in }
      .add("notify", .writesNothing) { _ in }

    let runs: [(target: String, audience: Audience)] = [("web", .everyone), ("print", .family), ("film", .friends)]
    for (target, audience) in runs {
      let outcome = await publish.run { ($0[.target], $0[.audience]) = (target, audience) }
      // A report contains each step with its end.
      let names = outcome.report.steps.compactMap { step in
        if case .closure = step.kind, step.end == .succeeded { step.name } else { nil }
      }
      print("\(target), for \(audience): \(names.joined(separator: ", "))")
    }
  }
}
