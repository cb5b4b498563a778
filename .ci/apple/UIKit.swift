// What the library uses of UIKit: its name.
import Foundation
