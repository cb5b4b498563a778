import Syrup

/// Uses each operator as an app does.
final class Reader {
  private static let mainKey: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  static var isOnMainQueue: Bool { DispatchQueue.getSpecific(key: mainKey) == true }

  init() { _ = Reader.mainKey }

  func read(_ fileURL: URL, then: @escaping Then<String>) {
    ConfigRead<Config>.open(fileURL: fileURL) / .utility >>= { useResult in
      do {
        let config = try useResult()
        then("\(config.title) \(config.count)")
      } catch {
        then("\(error)")
      }
    }
  }

  func lockTwice(_ fileURL: URL, then: @escaping Then<URL>) {
    FileLock(fileURL: fileURL) / .utility >>= { useResult in
      do {
        let unlocking = try useResult()
        unlocking / .utility >>= { _ in
          then(unlocking.fileURL)
        }
      } catch {
        then(URL(fileURLWithPath: "/"))
      }
    }
  }

  func upload(_ fileURL: URL, to destinationURL: URL, then: @escaping ThenBoth<Bool, String>) {
    let locked = FileLock(fileURL: fileURL) / DispatchQueue(label: "files")
    let uploaded =
      locked >>= { useResult -> Deferred<Upload.Result> in
        let unlocking = try useResult()
        return (Upload.openFile(file: .open(fileURL: fileURL), destinationURL: destinationURL) / .background)
          & (unlocking / .utility).ignoringResult()
      }
    uploaded >>=
      .main + { useResult in
        do {
          let result = try useResult() as? [String: Any]
          then(Reader.isOnMainQueue, "\(result?["count"] ?? "nothing")")
        } catch {
          then(Reader.isOnMainQueue, "\(error)")
        }
      }
  }

  func uploadAsGrain(_ fileURL: URL, to destinationURL: URL, then: @escaping Then<String>) {
    GrainUpload.openFile(file: .read(fileURL: fileURL), destinationURL: destinationURL).execute { useResult in
      do {
        let result = try useResult() as? [String: Any]
        then("\(result?["count"] ?? "nothing")")
      } catch {
        then("\(error)")
      }
    }
  }

  func both(then: @escaping ThenBoth<Int, String>) {
    let both = Deferred { 5 } & Deferred { "five" }
    (both + .utility).perform { useResult in
      if let (number, text) = try? useResult() { then(number, text) }
    }
  }

  func squares(then: @escaping Then<[Int]>) {
    let closures = (0..<5).map { number in { number * number } }
    closures / .global() >>= { useResult in
      then((try? useResult()) ?? [])
    }
  }

  func sendableSquares(then: @escaping Then<[Int]>) {
    let closures: [@Sendable () -> Int] = [{ 1 }, { 4 }]
    closures / .global() >>= { useResult in
      let first = (try? useResult()) ?? []
      [{ 9 }, { 16 }] / .global() >>= { useResult in
        then(first + ((try? useResult()) ?? []))
      }
    }
  }

  func steps(_ fileURL: URL, limit: Int, then: @escaping ThenBoth<[String], Bool>) {
    let log = LockLog()
    let config = PlainConfigRead.read(fileURL: fileURL).deferred(queue: .global()) { step in
      switch step {
      case .read: log.add("read")
      case .unserialize: log.add("unserialize")
      case .parse: log.add("parse")
      case .success: log.add("success")
      }
      return log.all.count < limit
    }
    config.map { $0.count }.perform { useResult in
      then(log.all, (try? useResult()) != nil)
    }
  }

  func line(_ fileURLs: [URL], maxCount: Int) -> ProductionLine<FileLock> {
    let line = ProductionLine<FileLock>(maxCount: maxCount, performer: { DispatchQueue.global().async(execute: $0) })
    line.suspend()
    line.add(fileURLs.map { FileLock(fileURL: $0) })
    line.add(FileLock(fileURL: fileURLs[0]))
    line.resume()
    return line
  }

  func serially(_ fileURLs: [URL], then: @escaping Then<Int>) {
    let performer: AsyncPerformer = { work in DispatchQueue.global(qos: .utility).async(execute: work) }
    fileURLs.map { FileLock(fileURL: $0) }.serially(on: performer) >>= { useResult in
      then((try? useResult())?.count ?? -1)
    }
    let serial = Serial.start(stages: fileURLs.map { FileLock(fileURL: $0) }, performer: performer)
    serial.deferred(performer: performer).ignoringResult() >>=
      DispatchQueue.main + { useResult in
        then((try? useResult()) == nil ? -1 : 0)
      }
  }

  func failing() -> Deferred<Int> {
    Deferred<Int>(throwing: Config.ErrorKind.invalid).flatMap { useResult in
      do {
        let number = try useResult()
        return Deferred { number }
      } catch {
        return Deferred { -1 }
      }
    }
  }
}
