// Code written for Flow-iOS imports only `Flow_iOS`, and also uses `DispatchQueue`, `NSError` and `Date`.
@_exported import Foundation
@_exported import OperationFlow

// The extensions in this folder declare members that the core has too, but with the signatures of Flow-iOS: with `Any`,
// and without parameters that were added later. Each has a disfavored twin with exactly the core's signature. For code
// that imports only `Flow_iOS`, the twin shadows the core's member: if both were visible, the compiler would choose the
// core's, and then complain that `Any` isn't `Sendable`. Code that also imports `OperationFlow` uses the core's.
