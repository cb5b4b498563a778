import Foundation

extension ValueText {
  /// The text of an error: the description that it has for people, or else what Swift prints; cut as values are.
  package static func describe(error: any Error, limit: Int = limit) -> String {
    cutCounting((error as? any LocalizedError)?.errorDescription ?? "\(error)", limit: limit)
  }
}
