import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking

  // Elsewhere these are a part of Foundation. With the names here, the other files need no import that depends on the platform.
  typealias HTTPURLResponse = FoundationNetworking.HTTPURLResponse
  typealias URLAuthenticationChallenge = FoundationNetworking.URLAuthenticationChallenge
  typealias URLCredential = FoundationNetworking.URLCredential
  typealias URLRequest = FoundationNetworking.URLRequest
  typealias URLSession = FoundationNetworking.URLSession
  typealias URLSessionConfiguration = FoundationNetworking.URLSessionConfiguration
  typealias URLSessionTask = FoundationNetworking.URLSessionTask
  typealias URLSessionTaskDelegate = FoundationNetworking.URLSessionTaskDelegate
#endif

/// How the platforms' `URLSession`s differ.
enum URLLoading {
  #if canImport(FoundationNetworking)
    /// Whether a connection that waits for its first answer keeps a core busy; later answers cost nothing.
    static let isBusyBeforeFirstAnswer = true
    /// What a task does that is asked for a password and has none; otherwise it would wait forever.
    static let answerToChallenge = URLSession.AuthChallengeDisposition.cancelAuthenticationChallenge
  #else
    /// Whether a connection that waits for its first answer keeps a core busy; later answers cost nothing.
    static let isBusyBeforeFirstAnswer = false
    /// What a task does that is asked for a password, or whether it trusts the server.
    static let answerToChallenge = URLSession.AuthChallengeDisposition.performDefaultHandling
  #endif
}
