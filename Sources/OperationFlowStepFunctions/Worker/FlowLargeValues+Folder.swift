import Foundation
import OperationFlow
import OperationFlowStorage

extension FlowLargeValues {
  /// Stores the values as files in a folder that all workers can reach; each file is named by its content's hash.
  ///
  /// - Parameters:
  ///   - folder: The folder, which is created if it doesn't exist.
  ///   - threshold: The size in bytes above which outputs are made smaller.
  /// - Returns: The store.
  public static func folder(_ folder: URL, threshold: Int = 64 * 1024) -> FlowLargeValues {
    FlowLargeValues(threshold: threshold) { value in
      let name = MessageDigest.sha256(value)
      try Folder.make(folder)
      let file = folder.appendingPathComponent(name)
      if !FileManager.default.fileExists(atPath: file.path) { try value.write(to: file, options: .atomic) }
      return name
    } get: { reference in
      // A reference from outside must not be used as a path.
      let isName = reference.utf8.count == 64 && reference.utf8.allSatisfy { Character(UnicodeScalar($0)).isHexDigit }
      guard isName else { throw CocoaError(.fileReadInvalidFileName) }
      return try Data(contentsOf: folder.appendingPathComponent(reference))
    }
  }
}
