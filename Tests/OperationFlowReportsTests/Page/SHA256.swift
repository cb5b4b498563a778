import Foundation

/// The hash that browsers compare a page's style and script with.
enum SHA256 {
  /// The hash of a text in UTF-8, in Base64.
  static func base64(_ text: String) -> String {
    Data(hash(Array(text.utf8))).base64EncodedString()
  }

  static func hash(_ message: [UInt8]) -> [UInt8] {
    var state = roots(primes.prefix(8), power: 2)
    let constants = roots(primes.prefix(64), power: 3)
    var padded = message + [0x80]
    padded += Array(repeating: 0, count: (120 - padded.count % 64) % 64)
    padded += (0..<8).map { UInt8(truncatingIfNeeded: UInt64(message.count * 8) >> (56 - 8 * UInt64($0))) }
    for start in stride(from: 0, to: padded.count, by: 64) {
      var words = stride(from: start, to: start + 64, by: 4).map { place in
        padded[place..<place + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      }
      for index in 16..<64 {
        let (early, late) = (words[index - 15], words[index - 2])
        let first = early.turned(7) ^ early.turned(18) ^ early >> 3
        let second = late.turned(17) ^ late.turned(19) ^ late >> 10
        words.append(words[index - 16] &+ first &+ words[index - 7] &+ second)
      }
      var part = state
      for index in 0..<64 {
        let sum = part[4].turned(6) ^ part[4].turned(11) ^ part[4].turned(25)
        let choice = part[4] & part[5] ^ ~part[4] & part[6]
        let first = part[7] &+ sum &+ choice &+ constants[index] &+ words[index]
        let other = part[0].turned(2) ^ part[0].turned(13) ^ part[0].turned(22)
        let majority = part[0] & part[1] ^ part[0] & part[2] ^ part[1] & part[2]
        part = [first &+ other &+ majority] + part.prefix(7)
        part[4] = part[4] &+ first
      }
      state = zip(state, part).map { $0 &+ $1 }
    }
    return state.flatMap { word in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> $0) } }
  }

  private static let primes = (2..<312).filter { number in
    !(2..<number).contains { $0 * $0 <= number && number.isMultiple(of: $0) }
  }

  /// The first 32 bits of the fractional parts of square or cube roots.
  private static func roots(_ numbers: ArraySlice<Int>, power: Int) -> [UInt32] {
    numbers.map { number in
      let root = power == 2 ? Double(number).squareRoot() : cbrt(Double(number))
      return UInt32((root - root.rounded(.down)) * 4_294_967_296)
    }
  }
}

extension UInt32 {
  fileprivate func turned(_ count: UInt32) -> UInt32 { self >> count | self << (32 - count) }
}
