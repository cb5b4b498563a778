import Foundation

extension ValueText {
  /// The text of an error, cut like a value's: its localized description if it has one, otherwise what Swift prints.
  package static func describe(error: any Error, limit: Int = limit) -> String {
    cutCounting((error as? any LocalizedError)?.errorDescription ?? "\(error)", limit: limit)
  }
}
