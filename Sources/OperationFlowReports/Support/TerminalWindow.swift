import Foundation

/// The size of a terminal's window, in characters.
struct TerminalWindow: Sendable, Hashable {
  var columns = 80
  var rows = 24

  /// Returns the window of a file descriptor; 80 columns and 24 rows if it has none.
  static func of(_ descriptor: Int32) -> TerminalWindow {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
      return TerminalWindow()
    }
    return TerminalWindow(columns: Int(size.ws_col), rows: Int(size.ws_row))
  }
}
