import Syrup

protocol JSONReadable {
  init(json: Any) throws
}

struct Config: JSONReadable {
  let title: String
  let count: Int

  enum ErrorKind: Error {
    case invalid
  }

  init(json: Any) throws {
    guard let object = json as? [String: Any], let title = object["title"] as? String,
      let count = object["count"] as? Int
    else { throw ErrorKind.invalid }
    self.title = title
    self.count = count
  }
}

/// Reads a file under a lock, step by step.
///
/// One of the steps contains `Any`.
enum ConfigRead<Result: JSONReadable>: Progression {
  /// Initial steps
  case open(fileURL: URL)
  /// Intermediate steps
  case read(lock: FileLock)
  case unserialize(Data)
  case parse(Any)
  /// Completed steps
  case success(Config)

  mutating func updateOrDeferNext() throws -> Deferred<ConfigRead>? {
    switch self {
    case let .open(fileURL):
      self = .read(
        lock: FileLock(fileURL: fileURL)
      )
    case let .read(lock):
      return compose(
        lock,
        mapNext: ConfigRead.read,
        flatMapResult: { unlocking in
          return Deferred {
            ConfigRead.unserialize(
              try Data(contentsOf: unlocking.fileURL, options: .mappedIfSafe)
            )
          } & (unlocking / .utility).ignoringResult()
        }
      )
    case let .unserialize(data):
      self = .parse(
        try JSONSerialization.jsonObject(with: data, options: [])
      )
    case let .parse(object):
      self = .success(
        try Config(json: object)
      )
    case .success:
      break
    }
    return nil
  }

  var result: Config? {
    guard case let .success(result) = self else { return nil }
    return result
  }
}

/// Reads such a file, with `next()` and a closure for each step.
enum PlainConfigRead: Progression {
  typealias Result = (title: String, count: Int)

  case read(fileURL: URL)
  case unserialize(data: Data)
  case parse(object: Any)
  case success(Result)

  enum ErrorKind: Error {
    case missingData
  }

  func next() -> Deferred<PlainConfigRead> {
    switch self {
    case let .read(fileURL):
      return Deferred {
        .unserialize(data: try Data(contentsOf: fileURL))
      }
    case let .unserialize(data):
      return Deferred {
        .parse(object: try JSONSerialization.jsonObject(with: data, options: []))
      }
    case let .parse(object):
      return Deferred {
        guard let object = object as? [String: Any], let title = object["title"] as? String,
          let count = object["count"] as? Int
        else { throw ErrorKind.missingData }
        return .success((title: title, count: count))
      }
    case .success:
      completedStep(self)
    }
  }

  var result: Result? {
    guard case let .success(result) = self else { return nil }
    return result
  }
}
