import Foundation
import OperationFlow

// The values that the steps of an upload pass to each other.
extension FlowKey where Value == URL {
  package static var folder: Self { "folder" }
  package static var server: Self { "server" }
  package static var link: Self { "link" }
}
extension FlowKey where Value == FileName {
  package static var file: Self { "file" }
}
extension FlowKey where Value == [FileName] {
  package static var files: Self { "files" }
}
extension FlowKey where Value == [LeftOutEntry] {
  package static var leftOut: Self { "leftOut" }
}
extension FlowKey where Value == [URL] {
  package static var links: Self { "links" }
}

extension Flow {
  /// Uploads the files of a folder, several at once: lists them, then runs an `UploadFileOp` for each.
  ///
  /// Each attempt at a file is a new `UploadFileOp`, with its own time limit and start.
  package static func uploading(
    _ folder: URL, to server: URL, by rules: UploadRules,
    retryingIf isWorthRetrying: @escaping @Sendable (any Error) -> Bool = UploadRules.isWorthRetrying
  ) -> Flow {
    Flow("Upload")
      .setData(name: .folder, value: folder)
      .setData(name: .server, value: server)
      .add(ListFilesOp())
      .addGrouped(
        operationCreator: UploadFileOp.self,
        dispatcher: FilesDispatcher(maxConcurrentOperationCount: rules.width, allowFailure: rules.allowsFailure),
        .named("send"), .retry(rules.retryPolicy, when: isWorthRetrying), .timeout(rules.timeout),
        .limited(by: rules.limiter)
      )
  }
}
