// What the README's second program uses of its own: a server, and three photos of which it doesn't take the last.

import Foundation
import OperationFlow

struct Unreachable: Error, CustomStringConvertible {
  var description: String { "no connection" }
}

struct Server: Sendable {
  func signIn() async throws -> String { "token" }

  func upload(_ photo: URL, token: String) async throws -> URL {
    guard photo.lastPathComponent != "c.png" else { throw Unreachable() }
    return photo
  }

  func delete(_ link: URL) async throws {}
  func announce(_ links: [URL]) async throws {}
}

let server = Server()
let photos = ["a.png", "b.png", "c.png"].map { URL(fileURLWithPath: "/photos/\($0)") }
