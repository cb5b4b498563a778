extension FlowError.Code {
  /// The journal of a durable run is damaged, or has a format of a later version.
  public static let unreadableJournal = Self("unreadableJournal")
  /// A store could not save, load or remove something, such as the journal of a run or the step of a progression.
  public static let storeFailed = Self("storeFailed")
  /// A durable run can't be resumed with a flow of another shape than the one that began it.
  public static let changedFlow = Self("changedFlow")
  /// A durable run can't store a value, such as one whose type isn't `Codable`.
  public static let valueNotStorable = Self("valueNotStorable")
}
