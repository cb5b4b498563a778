// Code written for Flow-iOS imports `Flow_iOS` alone and uses `DispatchQueue`, `NSError` and `Date` as well.
@_exported import Foundation
@_exported import OperationFlow

// The extensions in this folder declare members that the core has as well, as the predecessor declared them: with `Any`,
// and without parameters that came later. Beside each stands a disfavored twin with exactly the core's signature. The
// twin shadows the core's member for whoever imports `Flow_iOS` alone: with both in sight, the compiler would choose the
// core's, and complain that `Any` is not `Sendable` afterwards. Whoever imports `OperationFlow` as well has the core's.
