import Foundation

/// The proxy in the environment of the machine.
package enum Proxy {
  /// Sends requests to this machine directly, whatever the proxy variables are.
  package static func bypassOnLoopback() {
    // Without this, curl, which URLSession uses on Linux, would use the proxy for 127.0.0.1 too.
    let environment = ProcessInfo.processInfo.environment
    let exceptions = [environment["no_proxy"] ?? environment["NO_PROXY"], "127.0.0.1"]
    setenv("no_proxy", exceptions.compactMap(\.self).joined(separator: ","), 1)
  }
}
