import Dispatch

struct MissingText: Error {}

struct Library: Sendable {
  func load(_ name: String, then body: @escaping @Sendable (String?, (any Error)?) -> Void) {
    DispatchQueue.global().async {
      if name == "lost" { body(nil, MissingText()) } else { body("a \(name)", nil) }
    }
  }
}

let library = Library()
