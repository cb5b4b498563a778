import Foundation

/// The reason why a file or a folder could not be used, usually in the words of the system.
package struct FileFault: Error, CustomStringConvertible, LocalizedError {
  package let action: String
  package let path: String
  /// The system's number of the error; 0 if it has found none.
  package let code: Int32
  private let reason: String

  package init(action: String, path: String, code: Int32) {
    (self.action, self.path, self.code) = (action, path, code)
    reason = String(cString: strerror(code))
  }

  /// Creates the error of an action that the system allows, and the caller doesn't.
  package init(action: String, path: String, reason: String) {
    (self.action, self.path, self.reason) = (action, path, reason)
    code = 0
  }

  package var description: String { "can't \(action) \(path): \(reason)" }
  package var errorDescription: String? { description }
}
