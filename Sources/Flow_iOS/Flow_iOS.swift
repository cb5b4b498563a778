// Code written for Flow-iOS imports `Flow_iOS` alone and uses `DispatchQueue`, `NSError` and `Date` as well.
@_exported import Foundation
@_exported import OperationFlow

// The extensions in this folder declare members that the core has as well, as the predecessor declared them: with
// `Any`, and without parameters that were added later. Each has a disfavored twin with exactly the core's signature.
// The twin shadows the core's member for code that imports only `Flow_iOS`: if both were visible, the compiler would
// choose the core's, and then complain that `Any` is not `Sendable`. Code that also imports `OperationFlow` has the
// core's.
