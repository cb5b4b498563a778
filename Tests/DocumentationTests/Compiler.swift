import Foundation

#if os(Linux) || os(macOS)
  /// The compiler that has built these tests, for code that uses the modules of the same build.
  enum Compiler {
    struct Failure: Error, CustomStringConvertible {
      let description: String
    }

    /// The status and the output of a process that has ended.
    private struct Ended {
      let status: Int32
      let output: String
    }

    /// Type-checks a text.
    ///
    /// - Returns: The compiler's output if there are errors; an empty text otherwise.
    static func errors(in text: String, flags: [String] = []) async throws -> String {
      try await withSource(text) { source in
        let result = try swiftc(source, ["-typecheck", "-suppress-warnings"] + flags)
        return result.status == 0 ? "" : result.output
      }
    }

    /// Builds a program and runs it; one that kills itself is started again.
    ///
    /// - Returns: The output of the program.
    static func output(
      of text: String, modules: Set<String> = ["OperationFlow"], flags: [String] = [], arguments: [String] = [],
      statuses: Set<Int32> = [0]
    ) async throws -> String {
      try await withSource(text) { source in
        let folder = source.deletingLastPathComponent()
        let (object, program) = (folder.appendingPathComponent("Code.o"), folder.appendingPathComponent("program"))
        try expectSuccess(swiftc(source, ["-c", "-suppress-warnings", "-o", object.path] + flags))
        let objects = modules.flatMap(objects(of:)) + [object.path]
        // The compiler finds them out as well, but then it now and then links with none of them.
        let libraries = folder.appendingPathComponent("libraries")
        try expectSuccess(tool("swift-autolink-extract", objects + ["-o", libraries.path], in: folder))
        let names = try String(contentsOf: libraries, encoding: .utf8).split(separator: "\n").map(String.init)
        try expectSuccess(tool("swiftc", ["-use-ld=lld", "-o", program.path] + objects + names, in: folder))
        var ran = try run(program, arguments, in: folder)
        if ran.status == SIGKILL { ran = try run(program, arguments, in: folder) }
        guard statuses.contains(ran.status) else {
          throw Failure(description: "It ended with \(ran.status):\n" + ran.output)
        }
        return ran.output
      }
    }

    /// True if these tests were built with a sanitizer.
    ///
    /// Documents aren't compiled then: their code would need the sanitizer's options, and the usual build compiles it.
    static let isSanitized = ["__tsan_init", "__asan_init"].contains { (name: String) in
      dlsym(dlopen(nil, RTLD_NOW), name) != nil
    }

    /// The folder of the build, which has the modules.
    private static let build: URL = {
      let places = ([CommandLine.arguments[0]] + Bundle.allBundles.map(\.bundlePath)).map {
        URL(fileURLWithPath: $0).deletingLastPathComponent()
      }
      return places.first { FileManager.default.fileExists(atPath: $0.appendingPathComponent("Modules").path) }
        ?? SourceTree.root.appendingPathComponent(".build/debug")
    }()

    /// No more compilers run at the same time than there are processors, and they wait on threads of their own.
    private static let queue: OperationQueue = {
      let queue = OperationQueue()
      queue.maxConcurrentOperationCount = ProcessInfo.processInfo.activeProcessorCount
      return queue
    }()

    /// Calls `body` with a file that has the text, in a folder that is removed afterwards.
    private static func withSource<Value: Sendable>(
      _ text: String, _ body: @escaping @Sendable (URL) throws -> Value
    ) async throws -> Value {
      try await withCheckedThrowingContinuation { continuation in
        queue.addOperation {
          continuation.resume(
            with: Result {
              let folder = FileManager.default.temporaryDirectory.appendingPathComponent("Code-\(UUID().uuidString)")
              try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
              defer { try? FileManager.default.removeItem(at: folder) }
              let source = folder.appendingPathComponent("Code.swift")
              try Data(text.utf8).write(to: source)
              return try body(source)
            })
        }
      }
    }

    private static func swiftc(_ source: URL, _ arguments: [String]) throws -> Ended {
      let fixed = ["-swift-version", "6", "-module-name", "Code", "-parse-as-library"]
      let modules = ["-I", build.appendingPathComponent("Modules").path]
      return try tool("swiftc", fixed + modules + arguments + [source.path], in: source.deletingLastPathComponent())
    }

    private static func tool(_ name: String, _ arguments: [String], in folder: URL) throws -> Ended {
      try run(URL(fileURLWithPath: "/usr/bin/env"), [name] + arguments, in: folder)
    }

    private static func expectSuccess(_ ended: Ended) throws {
      guard ended.status == 0 else { throw Failure(description: ended.output) }
    }

    /// The files that a module's sources were compiled to; an older build may have left those of sources that are gone.
    private static func objects(of module: String) -> [String] {
      let folder = build.appendingPathComponent("\(module).build")
      let sources = SourceTree.files(in: "Sources/" + module, ending: ".swift").map { source in
        folder.appendingPathComponent(URL(fileURLWithPath: source).lastPathComponent + ".o").path
      }
      // SwiftPM makes a source of the files that a module embeds.
      let embedded = folder.appendingPathComponent("embedded_resources.swift.o").path
      return sources + (FileManager.default.fileExists(atPath: embedded) ? [embedded] : [])
    }

    /// Runs a program to its end, with its temporary files in a folder, and returns what it has written.
    private static func run(
      _ program: URL, _ arguments: [String], in folder: URL
    ) throws -> Ended {
      let process = Process()
      let pipe = Pipe()
      process.executableURL = program
      process.arguments = arguments
      process.environment = ProcessInfo.processInfo.environment.merging(["TMPDIR": folder.path]) { $1 }
      process.standardOutput = pipe
      process.standardError = pipe
      process.standardInput = FileHandle.nullDevice
      try process.run()
      let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
      process.waitUntilExit()
      return Ended(status: process.terminationStatus, output: String(decoding: output, as: UTF8.self))
    }
  }
#endif
