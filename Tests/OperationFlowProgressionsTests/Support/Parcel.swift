import Foundation

@testable import OperationFlowProgressions

/// A progression that can be stored, and whose work calls a closure.
enum Parcel: Progression, Codable, Hashable, Sendable {
  case packed(String)
  case sent(String, secret: String)
  case signed(String, by: Int)
  case delivered(String)

  /// The work of each step, given its name.
  ///
  /// An error that it throws is the step's error.
  @TaskLocal static var work: @Sendable (String) async throws -> Void = { _ in }

  static let names = ["packed", "sent", "signed", "delivered"]

  mutating func advance() async throws {
    try await Self.work(stepName)
    switch self {
    case .packed(let name): self = .sent(name, secret: "hunter2")
    case .sent(let name, _): self = .signed(name, by: 7)
    case .signed(let name, _): self = .delivered(name + "!")
    case .delivered: break
    }
  }

  var result: String? { if case .delivered(let name) = self { name } else { nil } }
}

extension FlowKey where Value == Parcel {
  static var parcel: Self { "parcel" }
}
extension FlowKey where Value == [Parcel] {
  static var parcels: Self { "parcels" }
}
extension FlowKey where Value == String {
  static var receipt: Self { "receipt" }
}
extension FlowKey where Value == [String] {
  static var receipts: Self { "receipts" }
}

extension FlowReport {
  /// Returns the names of the steps that progressions reached, in order.
  func steps(of source: String? = nil) -> [String] {
    events.compactMap { event in
      guard case .progressed(let step) = event.kind, source == nil || event.source.description == source else {
        return nil
      }
      return step
    }
  }
}
