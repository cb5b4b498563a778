import UploadServer

extension Arrivals {
  /// Waits until that many files arrived, or until the process ended.
  func reach(_ count: Int, or child: ChildProcess) async {
    child.whenEnded { self.release() }
    await reach(count) { child.isRunning }
  }
}
