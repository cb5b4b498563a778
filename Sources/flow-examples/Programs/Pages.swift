import Foundation
import OperationFlow

extension FlowKey where Value == [String] {
  fileprivate static var orders: Self { "orders" }
}
extension FlowKey where Value == Int {
  fileprivate static var nextPage: Self { "nextPage" }
}

private struct Busy: FlowRetryDelaying {
  let retryDelay: Duration?
  init(retryAfter seconds: String?) { retryDelay = seconds.flatMap { Int($0) }.map { .seconds($0) } }
}

/// Stands for an API that is busy once.
private actor API {
  private var calls = 0

  func page(_ number: Int) throws -> (orders: [String], next: Int?) {
    calls += 1
    if calls == 3 { throw Busy(retryAfter: "1") }
    return (["\(number)a", "\(number)b"], number < 4 ? number + 1 : nil)
  }
}

enum Pages {
  static func main() async throws {
    let api = API()
    let load = Flow("Orders")
      .add("load", .writes(.orders, .nextPage), .retry(.attempts(10), when: { $0 is Busy })) { context in
        while true {
          let (orders, next) = try await api.page(context[.nextPage] ?? 1)
          context.update(.orders, default: []) { $0 += orders }
          guard let next else { return }
          context[.nextPage] = next
        }
      }

    let report = try await load.run().get()
    print(report[.orders] ?? [], "in", report.steps[0].attempts, "attempts")
  }
}
