import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking

  // On other platforms, Foundation has these types. The aliases save the other files an import that depends on the
  // platform.
  typealias HTTPURLResponse = FoundationNetworking.HTTPURLResponse
  typealias URLAuthenticationChallenge = FoundationNetworking.URLAuthenticationChallenge
  typealias URLCredential = FoundationNetworking.URLCredential
  typealias URLRequest = FoundationNetworking.URLRequest
  typealias URLSession = FoundationNetworking.URLSession
  typealias URLSessionConfiguration = FoundationNetworking.URLSessionConfiguration
  typealias URLSessionTask = FoundationNetworking.URLSessionTask
  typealias URLSessionTaskDelegate = FoundationNetworking.URLSessionTaskDelegate
#endif

/// The differences between the platforms' `URLSession`s.
enum URLLoading {
  #if canImport(FoundationNetworking)
    /// True if a connection that waits for its first answer uses a whole core; later answers cost nothing.
    static let isBusyBeforeFirstAnswer = true
    /// The answer to an authentication challenge; without a password, the default handling would wait forever.
    static let answerToChallenge = URLSession.AuthChallengeDisposition.cancelAuthenticationChallenge
  #else
    /// True if a connection that waits for its first answer uses a whole core; later answers cost nothing.
    static let isBusyBeforeFirstAnswer = false
    /// The answer to an authentication challenge, which may also ask if the server is trusted.
    static let answerToChallenge = URLSession.AuthChallengeDisposition.performDefaultHandling
  #endif
}
