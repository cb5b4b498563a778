import Foundation

/// The proxy that a machine may be set up to use.
enum Proxy {
  /// Lets requests to this machine itself go straight to it, whatever the proxy variables say.
  static func bypassOnLoopback() {
    // curl, which URLSession uses on Linux, would ask the proxy for 127.0.0.1 as well.
    let environment = ProcessInfo.processInfo.environment
    let exceptions = [environment["no_proxy"] ?? environment["NO_PROXY"], "127.0.0.1"]
    setenv("no_proxy", exceptions.compactMap(\.self).joined(separator: ","), 1)
  }
}
