// Flow-iOS re-exported UIKit, so its users' files use `UIImage` without importing it.
#if canImport(UIKit)
  @_exported import UIKit
#endif
