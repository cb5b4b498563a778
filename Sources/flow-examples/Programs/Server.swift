import Foundation
import OperationFlow

extension FlowKey where Value == Int {
  fileprivate static var user: Self { "user" }
}
extension FlowKey where Value == String {
  fileprivate static var name: Self { "name" }
}

enum Server {
  private static let connections = FlowLimiter(atMost: 2)
  private static let answer = Flow("Answer")
    .deadline(.seconds(1))
    .recording(.none)
    .add("query", .reads(.user), .writes(.name), .limited(by: connections), .retry(.attempts(2))) { context in
      context[.name] = try await query(context.require(.user))
    }

  static func main() async throws {
    await withTaskGroup(of: String.self) { group in
      for user in 1...4 { group.addTask { await handle(user: user) } }
      var answers: [String] = []
      for await answer in group { answers.append(answer) }
      print(answers.sorted().joined(separator: "\n"))
    }
  }

  /// Returns the status and the body of the answer to a request.
  private static func handle(user: Int) async -> String {
    switch await answer.run({ $0[.user] = user }) {
    case .succeeded(let report): "200 \(report[.name] ?? "")"
    case .failed(let error as FlowError, _) where error.code == .deadlineExceeded: "504 too slow"
    case .failed: "500 failed"
    case .cancelled: "499 gone"  // the client has left, and its task was cancelled
    }
  }

  /// Stands for a query, which is slow for the user 3.
  private static func query(_ user: Int) async throws -> String {
    try await Task.sleep(for: .seconds(user == 3 ? 60 : 0.01))
    return "user \(user)"
  }
}
