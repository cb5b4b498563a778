import Foundation
import OperationFlow

private final class BuildOp: FlowOperation, @unchecked Sendable {
  override func run() async throws { log(message: "built") }
}

enum Graph {
  static func main() async throws {
    let (core, tool, tests) = (BuildOp(), BuildOp(), BuildOp())
    tool.addDependency(core)
    tests.addDependency(tool)
    let build = Flow("Build").parallel {
      for (name, target) in [("tests", tests), ("tool", tool), ("core", core)] {
        $0.branch(name) { $0.add(operation: target) }
      }
    }
    print(await build.run().report.summary(style: .brief), terminator: "")
  }
}
