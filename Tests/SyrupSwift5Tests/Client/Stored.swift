import Syrup

/// Callbacks and performers that are stored in variables, as Swift 5 code has them.
final class Keeper {
  var handler: (@escaping () throws -> Int) -> () = { _ in }
  var onError: (Error) -> () = { _ in }
  var count = 0

  func useStored(_ done: @escaping (() throws -> Int) -> ()) {
    let deferred = UpCount(left: 3) / .utility
    deferred >>= handler
    deferred.perform(handler)
    deferred >>= .main + handler
    deferred >>= DispatchQueue.main + handler
    deferred >>= .utility + handler
    UpCount(left: 3).execute(handler)
    let transform: (Int) throws -> String = { "\($0)" }
    let next: (@escaping () throws -> Int) throws -> Deferred<Int> = { use in Deferred { try use() } }
    (deferred.map(transform) + .main).perform { _ in }
    (deferred >>= next) >>= { _ in }
  }

  func perform(on performer: @escaping (@escaping () -> ()) -> ()) -> ProductionLine<UpCount> {
    let deferred = UpCount(left: 3).deferred(
      performer: performer,
      progress: { _ in
        self.count += 1; return true
      })
    deferred >>= { useResult in
      do { self.count = try useResult() } catch { self.onError(error) }
    }
    [UpCount(left: 3)].serially(on: performer) >>= .main + { useResult in self.count = (try? useResult())?.count ?? 0 }
    return ProductionLine(maxCount: 2, performer: performer)
  }

  func load(_ resolve: @escaping (@escaping () throws -> Int) -> ()) {
    DispatchQueue.global().async { resolve { self.count } }
  }

  func future() -> Deferred<Int> { .future(load) }
}

struct UpCount: Progression {
  var left: Int
  mutating func updateOrDeferNext() throws -> Deferred<UpCount>? {
    left -= 1
    return nil
  }
  var result: Int? { left == 0 ? 0 : nil }
}

/// A combinator of a user's own, which handles both cases.
extension Deferred {
  func logging(_ log: @escaping (String) -> ()) -> Deferred<Result> {
    switch self {
    case let .unit(useResult):
      return .unit {
        log("unit")
        return try useResult()
      }
    case let .future(request):
      return .future { resolve in
        request { useResult in
          log("future")
          resolve(useResult)
        }
      }
    }
  }
}
