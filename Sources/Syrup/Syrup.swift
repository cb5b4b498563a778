// Code written for Syrup imports `Syrup` alone and uses `URL`, `Data` and `DispatchQueue` as well.
@_exported import Dispatch
@_exported import Foundation
@_exported import OperationFlow
@_exported import OperationFlowProgressions
