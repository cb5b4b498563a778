import Testing

/// Records an issue, as the last action of a test.
package func fail(_ message: String, sourceLocation: SourceLocation = #_sourceLocation) {
  Issue.record("\(message)", sourceLocation: sourceLocation)
}
