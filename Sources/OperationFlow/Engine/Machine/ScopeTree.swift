/// The tree of scopes, looked at as a whole: to see what is within a scope, and how deep it is.
struct ScopeTree {
  private let scopes: Slab<RunScope>
  private var depths: [ScopeID: Int] = [:]

  init(_ scopes: Slab<RunScope>) { self.scopes = scopes }

  /// A scope and all that lie within it, found in linear time.
  func scopes(within top: ScopeID) -> Set<ScopeID> {
    var known = [top: true]
    for (id, _) in scopes.all {
      var path: [ScopeID] = []
      var next: ScopeID? = id
      while let current = next, known[current] == nil {
        path.append(current)
        next = scopes[current]?.parent
      }
      let isWithin = next.flatMap { known[$0] } ?? false
      for scope in path { known[scope] = isWithin }
    }
    return Set(known.filter(\.value).keys)
  }

  /// How many scopes it lies within; remembered, so that asking for all of them is linear.
  mutating func depth(of id: ScopeID) -> Int {
    var path = [id]
    while let last = path.last, depths[last] == nil, let parent = scopes[last]?.parent { path.append(parent) }
    var depth = path.last.flatMap { depths[$0] } ?? 0
    for scope in path.reversed() {
      depths[scope] = depth
      depth += 1
    }
    return depth - 1
  }
}
