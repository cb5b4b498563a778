/// The names and types of the data of a run, which are all that a check of its flow depends on.
struct DataTypes: Sendable, Equatable {
  private struct Kind: Equatable {
    let type: ObjectIdentifier
    /// For an array, whether it has no elements, so that its group has no items.
    let isEmpty: Bool?
  }

  private var kinds: [String: Kind] = [:]
  private let dataMayGrow: Bool

  /// The types of the data, which were often those of a run before; `nil` if a value is judged by what it contains.
  init?(_ data: FlowData, dataMayGrow: Bool, before: DataTypes?) {
    self.dataMayGrow = dataMayGrow
    if dataMayGrow { return }
    for (name, entry) in data.entries {
      let type: Any.Type = Swift.type(of: entry.value as Any)
      let plain = Kind(type: ObjectIdentifier(type), isEmpty: nil)
      if before?.kinds[name] == plain {
        kinds[name] = plain
        continue
      }
      let array = entry.value as? any ArrayElements
      guard !(entry.value is any UndecodedValue), TypeFit.isDecidedByType(array?.elementType ?? type) else {
        return nil
      }
      kinds[name] = Kind(type: ObjectIdentifier(type), isEmpty: array.map { $0.elementCount == 0 })
    }
  }
}
