/// A kind of fault in a soak's receiver.
enum SoakFault: Int, CaseIterable, Hashable, Sendable {
  case failure, busy, stall, requestCut, responseCut, restart, refusal

  /// The number of requests in 1,000 that meet the fault; of a refusal, the number of files.
  var share: UInt64 {
    switch self {
    case .failure: 60
    case .busy, .requestCut, .responseCut: 40
    case .stall: 20
    case .restart: 4
    case .refusal: 15
    }
  }

  /// The fault as text after a count: `12 answered 500`.
  var description: String {
    switch self {
    case .failure: "answered 500"
    case .busy: "answered 503 with Retry-After"
    case .stall: "not answered at all"
    case .requestCut: "cut off in the file"
    case .responseCut: "cut off in the answer"
    case .restart: "met by a restart"
    case .refusal: "refused for good"
    }
  }
}
