import Foundation
import OperationFlow

extension SplitMix {
  /// Returns the next `count` bytes, the same on every machine.
  mutating func bytes(count: Int) -> Data {
    let words = (0..<(count + 7) / 8).map { _ in next().littleEndian }
    let bytes = words.withUnsafeBytes { Data($0) }
    return bytes.prefix(count)
  }
}
