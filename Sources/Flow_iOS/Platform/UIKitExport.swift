// The predecessor's import brought UIKit along, so its users' files name `UIImage` without importing it.
#if canImport(UIKit)
  @_exported import UIKit
#endif
