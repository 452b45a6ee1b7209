/// The types that repeated elements make. When none are there, they are empty and not missing.
protocol EmptyValue {
  init()
}

extension Array: EmptyValue {}
extension ContiguousArray: EmptyValue {}
extension Set: EmptyValue {}
