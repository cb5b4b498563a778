// Code written for Flow-iOS imports `Flow_iOS` alone and uses `DispatchQueue`, `NSError` and `Date` as well.
@_exported import Foundation
@_exported import OperationFlow
