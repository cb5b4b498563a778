extension SampleRecords {
  /// A record as version 1 of the format writes it; every later version of the library has to read it.
  static let version1 = ##"""
    {"ending":{"duration":700000,"failure":{"attempt":2,"isRefusal":false,"item":2,"name":"[upload #3]",\##
    "problem":"no connection","step":4},"result":"failed","text":", failed in [upload #3]: no connection,\##
     1 undone"},"flow":"Publish","format":"OperationFlow record","itemFailures":[{"attempt":2,\##
    "error":"no connection","index":2,"input":"c.png","name":"[upload #3]","step":4}],"steps":[{"attempts":1,\##
    "duration":120000,"id":0,"kind":"closure","name":"fetch","number":1,"options":["undo"],\##
    "outputs":["pictures"],"path":"1. fetch","state":"succeeded"},\##
    {"attempts":1,"duration":41000,"id":1,"kind":"cases","name":"Cases","number":2,"path":"2. Cases",\##
    "state":"succeeded"},\##
    {"attempts":0,"id":7,"kind":"branch","name":"target=web","parent":1,"path":"2. Cases > target=web",\##
    "state":"succeeded"},\##
    {"attempts":1,"duration":40000,"id":2,"inputs":["pictures"],"kind":"operation","name":"resize","number":1,\##
    "outputs":["resized"],"parent":7,"path":"2. Cases > target=web > 1. resize","state":"succeeded",\##
    "type":"ResizeOp"},\##
    {"attempts":0,"id":8,"kind":"branch","name":"otherwise","parent":1,"path":"2. Cases > otherwise",\##
    "state":"skipped"},\##
    {"attempts":0,"id":3,"kind":"closure","name":"keep","number":1,"parent":8,\##
    "path":"2. Cases > otherwise > 1. keep","state":"skipped"},\##
    {"attempts":1,"duration":420000,"id":4,"inputs":["resized"],"items":{"cancelled":0,"failed":1,"succeeded":2,\##
    "total":3},"kind":"group","name":"upload","number":3,"options":["retry"],"path":"3. upload",\##
    "state":"failed","width":2},\##
    {"attempts":0,"id":5,"kind":"closure","name":"announce","number":4,"path":"4. announce","state":"neverRan"},\##
    {"attempts":1,"duration":10000,"id":6,"kind":"always","name":"Clean up","number":5,"path":"5. Clean up",\##
    "state":"succeeded"},\##
    {"attempts":1,"duration":9000,"id":9,"kind":"closure","name":"close","number":1,"parent":6,\##
    "path":"5. Clean up > 1. close","state":"succeeded"}],"version":1}
    {"data":[{"name":"target","text":"web"},{"name":"token","text":"<redacted>"}],"event":"flowStarted",\##
    "name":"DataBucket","number":0,"time":1767225600000000}
    {"event":"started","name":"fetch","number":1,"step":0,"time":1767225600001000}
    {"event":"logged","level":"info","name":"fetch","number":2,"step":0,"text":"3 pictures",\##
    "time":1767225600060000}
    {"event":"added","key":"pictures","name":"DataBucket","new":"[a.png, b.png, c.png]","number":3,"step":0,\##
    "time":1767225600120000}
    {"end":"successfully","event":"finished","name":"fetch","number":4,"step":0,"time":1767225600121000}
    {"event":"caseChosen","name":"Cases","number":5,"step":1,"text":"target=web","time":1767225600122000}
    {"event":"started","name":"resize","number":6,"step":2,"time":1767225600123000}
    {"event":"added","key":"resized","name":"DataBucket","new":"[a.png, b.png, c.png]","number":7,"step":2,\##
    "time":1767225600162000}
    {"end":"successfully","event":"finished","name":"resize","number":8,"step":2,"time":1767225600163000}
    {"count":3,"event":"groupCreated","name":"upload","number":9,"step":4,"time":1767225600164000}
    {"event":"started","item":0,"name":"upload","number":10,"step":4,"time":1767225600165000}
    {"event":"started","item":1,"name":"upload","number":11,"step":4,"time":1767225600166000}
    {"end":"successfully","event":"finished","item":0,"name":"upload","number":12,"step":4,\##
    "time":1767225600265000}
    {"event":"started","item":2,"name":"upload","number":13,"step":4,"time":1767225600266000}
    {"end":"withError","event":"finished","item":2,"meaning":"retried","name":"upload","number":14,"step":4,\##
    "text":"no connection","time":1767225600340000}
    {"end":"successfully","event":"finished","item":1,"name":"upload","number":15,"step":4,\##
    "time":1767225600400000}
    {"attempt":2,"event":"started","item":2,"name":"upload","number":16,"step":4,"time":1767225600540000}
    {"attempt":2,"end":"withError","event":"finished","item":2,"name":"upload","number":17,"step":4,\##
    "text":"no connection","time":1767225600584000}
    {"event":"groupStopped","name":"upload","number":18,"step":4,"time":1767225600584000}
    {"event":"undoStarted","name":"fetch","number":19,"step":0,"time":1767225600590000}
    {"end":"successfully","event":"undoFinished","name":"fetch","number":20,"step":0,"time":1767225600640000}
    {"event":"started","name":"Clean up","number":21,"step":6,"time":1767225600650000}
    {"event":"started","name":"close","number":22,"step":9,"time":1767225600650000}
    {"end":"successfully","event":"finished","name":"close","number":23,"step":9,"time":1767225600659000}
    {"end":"successfully","event":"finished","name":"Clean up","number":24,"step":6,"time":1767225600660000}
    {"data":[{"name":"target","text":"web"},{"name":"token","text":"<redacted>"}],"end":"withError",\##
    "event":"flowFinished","name":"DataBucket","number":25,"text":"no connection","time":1767225600700000}

    """##
}
