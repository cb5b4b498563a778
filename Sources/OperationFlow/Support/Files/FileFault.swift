import Foundation

/// The system's message when a file or a folder could not be used.
package struct FileFault: Error, CustomStringConvertible, LocalizedError {
  package let action: String
  package let path: String
  package let code: Int32

  package init(action: String, path: String, code: Int32) {
    self.action = action
    self.path = path
    self.code = code
  }

  package var description: String { "can't \(action) \(path): \(String(cString: strerror(code)))" }
  package var errorDescription: String? { description }
}
