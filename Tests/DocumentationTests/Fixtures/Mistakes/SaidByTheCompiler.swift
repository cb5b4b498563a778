// Said well by the compiler itself, and not to be hidden by an overload.

func closures(_ flow: Flow) {
  flow.always { _ in await Task.yield() }  // error: to parameter expecting synchronous function type
  flow.add("x") { context in context.lgo("x") }  // error: 'FlowContext' has no member 'lgo'
  // error: expects 1 argument
  flow.add("x") {}
  flow.add("x") { @MainActor context in context.log("x") }  // error: loses global actor 'MainActor'
}

func groups(_ flow: Flow, _ numbers: [Int]) {
  // error: argument 'width' must precede
  flow.forEach(in: numbers, .retry(.attempts(2)), width: 3) { number, context in print(number) }
  flow.forEach(.photos) { photo in print(photo) }  // error: expects 2 arguments, but 1 was used
  flow.forEach(.photos, into: .links) { $0 }  // error: expects 2 arguments, but 1 was used
  flow.forEach(.photos, into: .email) { photo, context in "a" }  // error: '[String]' and 'String'
  flow.forEach(.photos, into: .links) { photo, context in 3 }  // error: 'Int' to closure result type 'URL'
  // error: does not conform to expected type 'FlowOperationCreator'
  flow.forEach(.photos, into: .links, run: LoginOp.self)
}

func names(_ flow: Flow) {
  flow.forEach(.photoz) { photo, context in print(photo) }  // error: has no member 'photoz'
  flow.add("x", .reads(.emial)) { context in }  // error: has no member 'emial'
  flow.add("x", .wieght(2)) { context in }  // error: has no member 'wieght'
}
