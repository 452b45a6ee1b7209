// Memory without a type, because the compiler frees a field of type `Value?` by looking up generic
// metadata at run time, which takes longer than everything else in `deinit`.
extension Promise {
  @inlinable static var fits: Bool {
    MemoryLayout<Value>.size <= MemoryLayout<Room>.size
      && MemoryLayout<Value>.alignment <= MemoryLayout<Room>.alignment
  }

  @discardableResult
  @inlinable
  @inline(__always)
  func withRoom<T>(_ body: (UnsafeMutableRawPointer) -> T) -> T {
    withUnsafeMutablePointer(to: &room) { body(UnsafeMutableRawPointer($0)) }
  }

  /// Puts the value into the room, once.
  @inlinable
  @inline(__always)
  func put(_ value: Value) {
    withRoom { room in
      if Self.fits {
        room.initializeMemory(as: Value.self, to: value)
      } else {
        room.initializeMemory(as: Boxed<Value>.self, to: Boxed(value))
      }
    }
    hasValue = true
  }

  /// The value, when it is known to be there.
  @inlinable
  @inline(__always)
  var kept: Value {
    withUnsafePointer(to: room) { place in
      let room = UnsafeRawPointer(place)
      return Self.fits
        ? room.assumingMemoryBound(to: Value.self).pointee
        : room.assumingMemoryBound(to: Boxed<Value>.self).pointee.value
    }
  }

  /// Frees what is in the room.
  @inlinable
  func clearRoom() {
    withRoom { room in
      if !hasValue {
        // Any closure is freed like any other.
        room.assumingMemoryBound(to: Step<Void, Void>.self).deinitialize(count: 1)
      } else if Self.fits {
        room.assumingMemoryBound(to: Value.self).deinitialize(count: 1)
      } else {
        room.assumingMemoryBound(to: Boxed<Value>.self).deinitialize(count: 1)
      }
    }
  }
}

extension Promise {
  /// Keeps the step that will make the value. From then on it belongs to the reaction that runs it.
  @inlinable
  @inline(__always)
  func keep<Input>(_ step: Step<Input, Value>) {
    withRoom { $0.initializeMemory(as: Step<Input, Value>.self, to: step) }
    holdsStep = true
  }

  /// Takes the step out of the room.
  @inlinable
  @inline(__always)
  func takeStep<Input>(from input: Input.Type) -> Step<Input, Value> {
    holdsStep = false
    return withRoom { $0.assumingMemoryBound(to: Step<Input, Value>.self).move() }
  }
}
