extension FlowEvent {
  /// The subject of an event: a name and, in a group, the item's index.
  public struct Source: Sendable, Hashable, CustomStringConvertible {
    /// The name of an operation, a step, a dispatcher, a flow, or of the data bucket.
    public internal(set) var name: String
    /// The item's index, or -1.
    private(set) var itemIndex: Int
    /// The step's place in its blueprint, or -1 if the event isn't about a step.
    package var step: Int32
    private(set) var attemptNumber: UInt16
    /// The meaning of the failure, if the event reports one.
    package private(set) var failure: Failure

    /// The raw values are the names in saved records.
    package enum Failure: String, Sendable, CaseIterable {
      /// It failed on its own, and won't be retried.
      case own
      /// Another attempt follows.
      case retried
      /// It was the last attempt, and something is done about it.
      case recovering
      /// A step within it failed, or the run failed while it was open.
      case passedOn
    }

    /// Compares names and items: two sources are equal if they are shown alike.
    public static func == (left: Source, right: Source) -> Bool {
      left.name == right.name && left.itemIndex == right.itemIndex
    }

    /// Hashes the name and the item.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(name)
      hasher.combine(itemIndex)
    }

    /// The index of the group's item, counted from 0; `nil` outside groups.
    public package(set) var item: Int? {
      get { itemIndex < 0 ? nil : itemIndex }
      set { itemIndex = newValue ?? -1 }
    }

    package internal(set) var attempt: Int {
      get { Int(attemptNumber) }
      set { attemptNumber = UInt16(clamping: newValue) }
    }

    /// The text that a summary shows: `[LoginOp]`, or `[UploadOp #3]` in a group.
    public var description: String { LineText.escaped(item.map { "[\(name) #\($0)]" } ?? "[\(name)]") }

    package func failing(_ failure: Failure) -> Source {
      var source = self
      source.failure = failure
      return source
    }

    /// The same step with another name and without its item.
    func renamed(_ name: String) -> Source {
      var source = self
      source.name = name
      source.itemIndex = -1
      return source
    }

    static let dataBucket = Source("DataBucket")
    static let record = Source("Record")
  }
}

extension FlowEvent.Source {
  package init(_ name: String, step: Int? = nil, item: Int? = nil, attempt: Int = 1) {
    self.init(
      name: name, itemIndex: item ?? -1, step: step.map(Int32.init(clamping:)) ?? -1,
      attemptNumber: UInt16(clamping: attempt), failure: .own)
  }
}
