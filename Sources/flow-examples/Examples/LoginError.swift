/// Why a login fails.
enum LoginError: Error, Hashable, CustomStringConvertible {
  case wrongPassword(email: String)

  var description: String {
    switch self {
    case .wrongPassword(let email): "The password of \(email) is another one. Type it again."
    }
  }
}
