extension SampleRecords {
  /// A record that is short enough to be shown in every format: one step with two attempts.
  static let small = ##"""
    {"ending":{"duration":90000,"result":"succeeded","text":""},"flow":"Hello","format":"OperationFlow record",\##
    "steps":[{"attempts":2,"duration":88000,"id":0,"kind":"closure","name":"greet","number":1,\##
    "options":["retry"],"outputs":["greeting"],"path":"1. greet","state":"succeeded"}],"version":1}
    {"data":[],"event":"flowStarted","name":"DataBucket","number":0,"time":1767225600000000}
    {"event":"started","name":"greet","number":1,"step":0,"time":1767225600001000}
    {"end":"withError","event":"finished","meaning":"retried","name":"greet","number":2,"step":0,\##
    "text":"no connection","time":1767225600021000}
    {"attempt":2,"event":"started","name":"greet","number":3,"step":0,"time":1767225600071000}
    {"attempt":2,"event":"logged","level":"info","name":"greet","number":4,"step":0,"text":"connected",\##
    "time":1767225600080000}
    {"attempt":2,"event":"added","key":"greeting","name":"DataBucket","new":"hello","number":5,"step":0,\##
    "time":1767225600088000}
    {"attempt":2,"end":"successfully","event":"finished","name":"greet","number":6,"step":0,\##
    "time":1767225600089000}
    {"data":[{"name":"greeting","text":"hello"}],"end":"successfully","event":"flowFinished",\##
    "name":"DataBucket","number":7,"time":1767225600090000}

    """##
}
