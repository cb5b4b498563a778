import Foundation
import OperationFlow
import OperationFlowReports

extension SampleRecords {
  /// A record without the end of an item and of an item's undo, and with a message after the run's end.
  ///
  /// The group ends at 1000, the step after it at 5000, and the run at 6000.
  static var leftOut: FlowRecord {
    get throws {
      try FlowRecord(
        jsonLines: Data(
          #"""
          {"format":"OperationFlow record","version":1,"flow":"Left out","steps":[\#
          {"id":0,"name":"photos","number":1,"kind":"group","width":2,"path":"1. photos","state":"succeeded",\#
          "attempts":1,"duration":1000,"items":{"total":12,"succeeded":12,"failed":0,"cancelled":0}},\#
          {"id":1,"name":"long","number":2,"kind":"closure","path":"2. long","state":"failed","attempts":1,\#
          "duration":4000}],"ending":{"result":"failed","duration":6000,"text":""}}
          {"number":0,"time":0,"event":"flowStarted","name":"DataBucket","data":[]}
          {"number":1,"time":0,"event":"groupCreated","name":"photos","step":0,"count":12}
          {"number":2,"time":0,"event":"started","name":"photos","step":0,"item":0}
          {"number":3,"time":10,"event":"started","name":"photos","step":0,"item":1}
          {"number":4,"time":20,"event":"finished","name":"photos","step":0,"item":1,"end":"successfully"}
          {"number":22,"time":800,"event":"leftOut","name":"Record","step":0,"count":18,"items":10}
          {"number":23,"time":800,"event":"started","name":"photos","step":0,"item":11}
          {"number":24,"time":900,"event":"finished","name":"photos","step":0,"item":11,"end":"successfully"}
          {"number":25,"time":1000,"event":"groupFinished","name":"photos","step":0,"count":12}
          {"number":26,"time":1000,"event":"started","name":"long","step":1}
          {"number":27,"time":5000,"event":"finished","name":"long","step":1,"end":"withError","text":"no"}
          {"number":28,"time":5100,"event":"undoStarted","name":"photos","step":0,"item":0}
          {"number":29,"time":5200,"event":"undoStarted","name":"photos","step":0,"item":1}
          {"number":30,"time":5300,"event":"undoFinished","name":"photos","step":0,"item":1,"end":"successfully"}
          {"number":31,"time":5400,"event":"leftOut","name":"Record","step":0,"count":4,"items":0}
          {"number":36,"time":6000,"event":"flowFinished","name":"DataBucket","end":"withError","text":"no","data":[]}
          {"number":37,"time":9000,"event":"logged","name":"Left out","text":"noted later","level":"info"}

          """#.utf8))
    }
  }
}
