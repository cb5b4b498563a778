// The code of the guide for Syrup's users, word for word.
import Syrup

enum TitleRead: Progression {
  case read(fileURL: URL)
  case parse(Data)
  case done(String)

  mutating func updateOrDeferNext() throws -> Deferred<TitleRead>? {
    switch self {
    case let .read(fileURL):
      self = .parse(try Data(contentsOf: fileURL))
    case let .parse(data):
      return Deferred { .done(try JSONDecoder().decode([String: String].self, from: data)["title"] ?? "") }
    case .done:
      break
    }
    return nil
  }

  var result: String? {
    guard case let .done(title) = self else { return nil }
    return title
  }
}

func showTitle(of fileURL: URL, show: @escaping @MainActor (String) -> Void) {
  TitleRead.read(fileURL: fileURL) / .utility >>=
    .main + { useResult in
      do {
        show(try useResult())
      } catch {
        show("\(error)")
      }
    }
}

func title(of fileURL: URL) async throws -> String {
  try await TitleRead.read(fileURL: fileURL).run()
}

func titleAfterParsing(_ data: Data) async throws -> String {
  try await TitleRead.run(from: .parse(data))
}

func stepCount(of fileURL: URL) async throws -> Int {
  var count = 0
  for try await step in TitleRead.read(fileURL: fileURL).steps {
    print("reached \(step)")
    count += 1
  }
  return count
}

actor Shelf {
  private let titles = ["abc", "def"]
  func title(at index: Int) -> String { titles[index] }
}

enum Lookup: Progression {
  case ask(Shelf, index: Int)
  case found(String)

  mutating func advance() async throws {
    guard case .ask(let shelf, let index) = self else { return }
    self = .found(await shelf.title(at: index))
  }

  var result: String? { if case .found(let title) = self { title } else { nil } }
}

func titles(of fileURLs: [URL]) async throws -> [String] {
  let line = ProductionLine<TitleRead>(maxCount: 3, performer: { DispatchQueue.global().async(execute: $0) })
  return try await withThrowingTaskGroup(of: String.self) { group in
    for url in fileURLs { group.addTask { try await line.run(.read(fileURL: url)) } }
    return try await group.reduce(into: []) { $0.append($1) }.sorted()
  }
}
