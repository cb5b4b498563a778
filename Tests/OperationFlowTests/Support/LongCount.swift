import Foundation

/// How many steps or items a test of great numbers takes.
///
/// Set `OPERATIONFLOW_LONG_COUNT` for another number: under a sanitizer a million keep the threads of the pool from other
/// tests for minutes.
let longCount =
  ProcessInfo.processInfo.environment["OPERATIONFLOW_LONG_COUNT"].flatMap { Int($0) } ?? 1_000_000
