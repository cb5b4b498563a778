// Code written for Flow-iOS imports `Flow_iOS` alone and uses `DispatchQueue`, `NSError` and `Date` as well.
@_exported import Foundation
@_exported import OperationFlow

extension Flow {
  /// Starts the flow, where a `() -> Void` is asked for, such as by `DispatchQueue.main.async(execute: flow.start)`.
  @_disfavoredOverload
  public func start() {
    let _: FlowRun = start(with: [:])
  }
}
