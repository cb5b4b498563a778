import Testing

/// Records an issue, as the last thing that a test does.
package func fail(_ message: String, sourceLocation: SourceLocation = #_sourceLocation) {
  Issue.record("\(message)", sourceLocation: sourceLocation)
}
