/// A kind of trouble that a soak's receiver makes.
enum SoakFault: Int, CaseIterable, Hashable, Sendable {
  case failure, busy, stall, requestCut, responseCut, restart, refusal

  /// How many of 1,000 requests meet it; of a refusal, how many of 1,000 files.
  var share: UInt64 {
    switch self {
    case .failure: 60
    case .busy, .requestCut, .responseCut: 40
    case .stall: 20
    case .restart: 4
    case .refusal: 15
    }
  }

  /// What the receiver did, as it is counted: `12 answered 500`.
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
