/// How the object that programs hold is read. Reading a property of it means observing it.
enum LiveReading {
  /// It wasn't handed out, or it was released.
  case none
  /// It was handed out, and the first read of a property will begin the observation.
  case expected
  /// A property was read.
  case observing
  /// As `observing`, and the object was handed out again: the next read counts as another observer.
  case renewed
}

extension LiveReading {
  var isObserving: Bool { self == .observing || self == .renewed }

  mutating func handOut() { self = isObserving ? .renewed : .expected }

  /// Notes that a property was read.
  ///
  /// - Returns: Whether that is the first read since the object was handed out.
  mutating func begin() -> Bool {
    guard self == .expected || self == .renewed else { return false }
    self = .observing
    return true
  }
}
