extension DataBucket: CustomReflectable {
  /// The names and texts of the values, sorted by name; what is sensitive in them is shown as `<redacted>`.
  public var customMirror: Mirror {
    let entries = state.withLock { $0.entries }
    let hidden = Set(entries.keys.filter(isHidden))
    var secrets = entries.secrets(hidden.contains)
    for text in replacedSecrets { secrets.insert(whole: text) }
    let items = entries.items(hiding: Set(hidden)).map { $0.scrubbing(secrets) }
    return Mirror(self, children: items.map { ($0.name, $0.text as Any) }, displayStyle: .class)
  }
}
