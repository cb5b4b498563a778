// What the calls in these files use.

import Foundation
import OperationFlow

extension FlowKey where Value == String {
  static var email: Self { "email" }
  static var seat: Self { "seat" }
  static var target: Self { "target" }
}
extension FlowKey where Value == Int {
  static var count: Self { "count" }
}
extension FlowKey where Value == [URL] {
  static var photos: Self { "photos" }
  static var links: Self { "links" }
}

final class LoginOp: FlowOperation, @unchecked Sendable {}
final class UploadOp: FlowOperation, FlowOperationCreator, @unchecked Sendable {
  static func create() -> FlowOperation { UploadOp() }
}
