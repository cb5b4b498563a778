/// One item of a group that failed, kept beside the outputs of those that succeeded.
public struct FlowItemFailure: Sendable {
  /// The name under which a summary shows the item, such as `[UploadOp #3]`.
  public let name: String
  /// The item's index in the input, counted from 0.
  public let index: Int
  /// The item itself.
  public let input: any Sendable
  /// What it failed with.
  public let error: any Error
  /// Where the group stands in its flow.
  public internal(set) var path: FlowPath?
  /// The number of the attempt that failed last, counted from 1.
  public internal(set) var attempt = 1
}
