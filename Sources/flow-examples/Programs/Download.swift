import Foundation
import OperationFlow

extension FlowKey where Value == String {
  fileprivate static var password: Self { FlowKey("password", sensitive: true) }
  fileprivate static var token: Self { FlowKey("token", sensitive: true) }
}
extension FlowKey where Value == [String] {
  fileprivate static var names: Self { "names" }
}
extension FlowKey where Value == [Data] {
  fileprivate static var contents: Self { "contents" }
}

/// Stands for your client.
private struct Client: Sendable {
  func logIn(_ password: String) async throws -> String { "a token" }
  func list(token: String) async throws -> [String] { ["a.txt", "b.txt", "c.txt"] }
  func download(_ name: String, token: String) async throws -> Data { Data(name.utf8) }
}

enum Download {
  static func main() async throws {
    let client = Client()
    let fetch = Flow("Fetch")
      .add("log in", .reads(.password), .writes(.token), .retry(.attempts(3))) { context in
        context[.token] = try await client.logIn(context.require(.password))
      }
      .add("list", .reads(.token), .writes(.names)) { context in
        context[.names] = try await client.list(token: context.require(.token))
      }
      .forEach(
        .names, into: .contents, width: 4, .named("download"), .reads(.token),
        .retry(.exponential(attempts: 3)), .timeout(.seconds(30))
      ) { name, context in
        try await client.download(name, token: context.require(.token))
      }

    let outcome = await fetch.run { $0[.password] = "secret" }
    print(outcome.report.summary(style: .brief), terminator: "")
  }
}
