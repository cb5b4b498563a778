import Foundation
import OperationFlow

extension FlowRecord {
  /// The version of the format that this version of the library writes.
  public static let jsonLinesVersion = 1

  /// Returns the record as JSON lines: a first line with the steps and the ending, and one line for each event.
  ///
  /// `Docs/Reference/RecordFormat.md` describes the format. A record that you read from the lines is equal to this one.
  ///
  /// - Returns: The text in UTF-8.
  /// - Throws: The errors of `JSONEncoder`, which no record should cause.
  public func jsonLines() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    var lines = try encoder.encode(RecordHeader(self))
    for event in savedEvents {
      lines.append(0x0A)
      lines += try encoder.encode(event)
    }
    lines.append(0x0A)
    return lines
  }

  /// Reads a record from JSON lines.
  ///
  /// Events of unknown kinds are skipped and counted in `skippedEventCount`. If the program was killed while it wrote
  /// the record, the last line may be incomplete: it is skipped and counted as well.
  ///
  /// - Parameter lines: The text in UTF-8, as ``jsonLines()`` returns it.
  /// - Throws: A ``FlowRecordError`` if the text isn't a record, if a later version of the library wrote the record, or
  ///   if a line is damaged.
  public init(jsonLines lines: Data) throws {
    let decoder = JSONDecoder()
    var (record, events, skipped) = (FlowRecord?.none, [FlowEvent](), 0)
    // The part after the last line break is empty, or an incomplete line.
    let parts = lines.split(separator: 0x0A, omittingEmptySubsequences: false)
    for (index, line) in parts.enumerated() where !line.isEmpty {
      let isTorn = index == parts.count - 1
      if record == nil {
        record = try RecordHeader.record(line, index + 1, decoder)
        skipped = record?.skippedEventCount ?? 0
      } else if let name = try? decoder.decode(EventName.self, from: line) {
        guard FlowEvent.Kind.isKnown(name.event) else {
          skipped += 1
          continue
        }
        do {
          events.append(try decoder.decode(FlowEvent.self, from: line))
        } catch {
          throw FlowRecordError.damaged(line: index + 1, "\(error)")
        }
      } else if isTorn {
        skipped += 1
      } else {
        throw FlowRecordError.damaged(line: index + 1, "it isn't an event")
      }
    }
    guard let record else { throw FlowRecordError.noRecord }
    self = record.with(events, skipped: skipped)
  }
}

/// The first line of a saved record: everything but its events.
private struct RecordHeader: Codable {
  private static let format = "OperationFlow record"

  let format: String
  let version: Int
  let flow: String
  let run: String?
  let steps: [FlowRecord.SavedStep]
  let itemFailures: [FlowRecord.ItemFailure]?
  let ending: FlowRecord.Ending?
  /// The number of events that were skipped when the record was read; `nil` for none.
  let skipped: Int?

  init(_ record: FlowRecord) {
    (format, version, flow) = (Self.format, FlowRecord.jsonLinesVersion, record.flowName)
    (run, steps, ending) = (record.runID, record.savedSteps, record.ending)
    itemFailures = record.itemFailures.isEmpty ? nil : record.itemFailures
    skipped = record.skippedEventCount > 0 ? record.skippedEventCount : nil
  }

  /// Returns the record in the first line, without events.
  static func record(_ line: Data, _ number: Int, _ decoder: JSONDecoder) throws -> FlowRecord {
    guard let mark = try? decoder.decode(Mark.self, from: line), mark.format == format else {
      throw FlowRecordError.noRecord
    }
    guard (1...FlowRecord.jsonLinesVersion).contains(mark.version) else {
      throw FlowRecordError.unknownVersion(mark.version)
    }
    func damaged(_ problem: String) -> FlowRecordError {
      .damaged(line: number, problem, remedy: "Restore the file: this line holds the steps.")
    }
    let header: RecordHeader
    do { header = try decoder.decode(RecordHeader.self, from: line) } catch { throw damaged("\(error)") }
    let skipped = header.skipped ?? 0
    guard SavedNumbers.sums.contains(skipped) else { throw damaged("no record has \(skipped) skipped events") }
    return FlowRecord(
      flowName: header.flow, steps: FlowRecord.Step.all(header.steps), events: [],
      itemFailures: header.itemFailures ?? [], ending: header.ending, skippedEventCount: skipped, runID: header.run)
  }

  private struct Mark: Decodable {
    let format: String
    let version: Int
  }
}

private struct EventName: Decodable {
  let event: String
}
