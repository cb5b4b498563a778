/// The limits of what a receiver accepts from one client.
package struct HTTPLimits: Hashable, Sendable {
  /// The limit of the request line and all header fields together.
  package var headerBytes = 16 * 1024

  package var bodyBytes = 128 * 1024 * 1024

  /// The number of seconds for which a client may stay silent before its connection is closed.
  package var idleSeconds = 60

  package init() {}
}
