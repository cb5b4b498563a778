import Foundation
import OperationFlow
import OperationFlowReports

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension FlowKey where Value == [String] {
  fileprivate static var names: Self { "names" }
  fileprivate static var sent: Self { "sent" }
}

private struct Refused: Error, CustomStringConvertible {
  let status: Int
  var description: String { "The server answered \(status)." + (status == 507 ? " Make room on the server." : "") }
}

/// Uploads the files of the folder that is the first argument, three at once, to the address that is the second.
enum Upload {
  static func main() async throws {
    guard CommandLine.arguments.count == 3, let server = URL(string: CommandLine.arguments[2]) else {
      print("Name a folder and an address.")
      exit(2)
    }
    let outcome = await upload(URL(fileURLWithPath: CommandLine.arguments[1]), to: server)
    exit(outcome.isSuccess && outcome.report.itemFailures.isEmpty ? 0 : 1)
  }

  static func upload(_ folder: URL, to server: URL) async -> FlowOutcome {
    let run = Flow("Upload")
      .add("list", .writes(.names)) { context in
        context[.names] = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
      }
      .forEach(
        .names, into: .sent, width: 3, tolerating: .failures(1), .named("send"),
        .retry(.exponential(attempts: 3, first: .seconds(0.05))), .timeout(.seconds(10), abandoningAfter: .seconds(1))
      ) { name, _ in
        try await put(Data(contentsOf: folder.appending(component: name)), to: server.appending(component: name))
        return name
      }
      .add("write the index", .reads(.sent)) {
        try await put(Data($0.require(.sent).joined(separator: "\n").utf8), to: server.appending(path: "index.txt"))
      }
      .start()
    await TerminalProgress().follow(run)
    let outcome = await run.outcome
    print(outcome.report.summary(style: .brief), terminator: "")
    return outcome
  }

  private static func put(_ file: Data, to address: URL) async throws {
    var request = URLRequest(url: address)
    request.httpMethod = "PUT"
    let (_, response) = try await URLSession.shared.upload(for: request, from: file)
    let status = (response as? HTTPURLResponse)?.statusCode ?? 0
    if !(200..<300).contains(status) { throw Refused(status: status) }
  }
}
