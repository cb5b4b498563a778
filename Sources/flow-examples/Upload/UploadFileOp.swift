import Foundation
import OperationFlow

/// Sends one file to the server, and writes the address under which the server has stored it.
final class UploadFileOp: FlowOperation, FlowOperationCreator, @unchecked Sendable {
  private let transfer = FileTransfer()

  static func create() -> FlowOperation { UploadFileOp() }

  // The group writes its item under the first key, and reads the output from the second.
  override var primaryInputParamKey: String { FlowKey.file.name }
  override var primaryOutputParamKey: String { FlowKey.link.name }

  override func mainLogic() {
    // Each item has its own file. The folder and the server are the flow's, shared by all items.
    guard let file: FileName = getData(name: .file), let folder: URL = getData(name: .folder),
      let server: URL = getData(name: .server)
    else { return }
    guard let name = file.text else { return finishWithError(error: UploadError.unaddressable(name: file.description)) }
    let link = server.appending(component: name)
    // The operation ends in the callback, long after this method has returned.
    startWithAsynchronous()
    transfer.start(folder.appending(component: name), to: link) { error in
      // A cancelled operation has already ended.
      if self.isCancelled { return }
      if let error { return self.finishWithError(error: error) }
      self.setData(name: .link, value: link)
      self.finishSuccessfully()
    }
  }

  /// Stops the transfer as well; `super` ends the operation.
  override func cancel() {
    super.cancel()
    transfer.cancel()
  }
}
