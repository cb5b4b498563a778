// prints: "large"
let bucket = Data(#"{"fileSize": 12}"#.utf8)
print(String(decoding: try await labelActivity(bucket: bucket, run: "r1", attempt: 1), as: UTF8.self))

// prints: success "large"
// prints: failure, may be retried: false
let (messages, continuation) = AsyncStream<Data>.makeStream()
continuation.yield(FlowTask(.value, of: "1. label", in: "Label", run: "r1", bucket: bucket).json)
continuation.yield(Data("{}".utf8))
continuation.finish()
await consume(messages) { answer in
  switch answer {
  case .success(let value): print("success", String(decoding: value, as: UTF8.self))
  case .failure(let failure): print("failure, may be retried:", failure.mayBeRetried)
  }
}
