import Foundation
import UploadServer

extension HTTPReceiver {
  /// Starts a receiver that stores files in a folder, and counts those that arrive.
  static func counting(_ arrivals: Arrivals, storingIn folder: URL) throws -> HTTPReceiver {
    let receiver = HTTPReceiver(storingIn: folder) { request in
      if request.method == "PUT", let name = request.fileName { arrivals.add(name) }
      return nil
    }
    Proxy.bypassOnLoopback()
    try receiver.start()
    return receiver
  }
}
