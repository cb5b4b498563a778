/// The parts of an object or an array in JSON, each with its original bytes and its place: a decoder would change numbers.
package enum JSONParts {
  /// Returns the parts between the commas; `nil` if the JSON doesn't begin and end with these bytes.
  package static func split(_ json: [UInt8], from open: UInt8, to close: UInt8) -> [ArraySlice<UInt8>]? {
    let json = trimmed(json[...])
    guard json.first == open, json.last == close, json.count > 1 else { return nil }
    let inner = json.dropFirst().dropLast()
    var (parts, start, depth, isText, isEscaped) = ([ArraySlice<UInt8>](), inner.startIndex, 0, false, false)
    for index in inner.indices {
      let byte = json[index]
      if isText {
        (isText, isEscaped) = (isEscaped || byte != 0x22, !isEscaped && byte == 0x5C)
        continue
      }
      switch byte {
      case 0x22: isText = true
      case 0x5B, 0x7B: depth += 1
      case 0x5D, 0x7D: depth -= 1
      case 0x2C where depth == 0:
        parts.append(trimmed(inner[start..<index]))
        start = index + 1
      default: break
      }
    }
    let last = trimmed(inner[start...])
    return last.isEmpty ? parts : parts + [last]
  }

  /// Returns the bytes without the white space around them.
  package static func trimmed(_ json: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var slice = json
    while let first = slice.first, first <= 0x20 { slice = slice.dropFirst() }
    while let last = slice.last, last <= 0x20 { slice = slice.dropLast() }
    return slice
  }
}
