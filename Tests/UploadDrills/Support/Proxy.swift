import Foundation

/// The proxy that a machine may be set up to use.
enum Proxy {
  /// Sends requests to this machine itself directly, whatever the proxy variables are.
  static func bypassOnLoopback() {
    // curl, which URLSession uses on Linux, would ask the proxy for 127.0.0.1 as well.
    let environment = ProcessInfo.processInfo.environment
    let exceptions = [environment["no_proxy"] ?? environment["NO_PROXY"], "127.0.0.1"]
    setenv("no_proxy", exceptions.compactMap(\.self).joined(separator: ","), 1)
  }
}
