extension FlowEvent {
  /// Whom an event is about: a name and, in a group, the item's index.
  public struct Source: Sendable, Hashable, CustomStringConvertible {
    /// The name of an operation, a dispatcher, a flow, or of the data bucket.
    public let name: String
    /// The index of the group's item, counted from 0; `nil` outside groups.
    public internal(set) var item: Int?

    init(_ name: String, item: Int? = nil) {
      self.name = name
      self.item = item
    }

    /// As a summary shows it: `[LoginOp]`, or `[UploadOp #3]` in a group.
    public var description: String {
      item.map { "[\(name) #\($0)]" } ?? "[\(name)]"
    }

    static let dataBucket = Source("DataBucket")
    static let cases = Source("Cases")
    static let record = Source("Record")
    static let group = Source("Group")
  }
}
