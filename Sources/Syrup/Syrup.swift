// Code written for Syrup imports only `Syrup`, and also uses `URL`, `Data` and `DispatchQueue`.
@_exported import Dispatch
@_exported import Foundation
@_exported import OperationFlow
@_exported import OperationFlowProgressions
