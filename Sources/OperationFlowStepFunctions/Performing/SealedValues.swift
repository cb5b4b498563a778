import Foundation
import OperationFlow

/// Encrypts sensitive values on their way from task to task: a sealed value is an object with one member, in base 64.
struct SealedValues: Sendable {
  private static let member = "operationFlowSealed"

  let sealing: FlowSealing?

  /// Returns true if a value is sealed.
  static func isSealed(_ json: [UInt8]) -> Bool {
    json.first == 0x7B && RawJSON.knownMembers(json).map { $0.count == 1 && $0[member] != nil } ?? false
  }

  /// Returns the sealed value.
  func sealed(_ json: [UInt8], _ name: String) throws(FlowTaskFailure) -> [UInt8] {
    guard let sealing else {
      throw FlowTaskFailure(
        cause: "<\(name)> is to be sealed, but there is no sealing. Give one to FlowTaskPerformer and to "
          + "executionInput.", mayBeRetried: false)
    }
    do {
      return RawJSON.object([Self.member: RawJSON.quoted(try sealing.seal(Data(json)).base64EncodedString())])
    } catch {
      throw FlowTaskFailure(
        cause: "<\(name)> can't be sealed: \(ValueText.describe(error: error)). See what the sealing needs.",
        mayBeRetried: true)
    }
  }

  /// Returns the values, with sealed ones decrypted; without a sealing, sealed values are returned as they are.
  func opened(_ values: [String: [UInt8]]) throws(FlowTaskFailure) -> [String: [UInt8]] {
    var opened = values
    for (name, value) in values { if let value = try self.opened(value, name) { opened[name] = value } }
    return opened
  }

  /// Returns the decrypted value; `nil` if the value isn't sealed, or if there is no sealing.
  private func opened(_ json: [UInt8], _ name: String) throws(FlowTaskFailure) -> [UInt8]? {
    guard let sealing, json.first == 0x7B, let members = RawJSON.knownMembers(json), members.count == 1,
      let text = members[Self.member].flatMap(RawJSON.text), let data = Data(base64Encoded: text)
    else { return nil }
    do {
      return Array(try sealing.open(data))
    } catch {
      throw FlowTaskFailure(
        cause: "<\(name)> is sealed and can't be opened: \(ValueText.describe(error: error)). Give all workers of the "
          + "flow the same sealing.", mayBeRetried: false)
    }
  }
}
