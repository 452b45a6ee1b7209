/// What keys do besides naming elements and attributes.
struct KeyManners {
  /// Whether they choose among elements by name.
  let isChoice: Bool
  /// Whether they say which kind of node they are for.
  let isTyped: Bool
}
