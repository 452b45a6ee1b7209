/// Names a reaction within its promise, and says how it takes its leave.
@usableFromInline
struct Key: Sendable {
  /// The address of the promise that the reaction feeds, whose low four bits are free, or, for a task
  /// that awaits, a count above them.
  @usableFromInline var bits: UInt

  @inlinable
  init(child: AnyObject, outlastsCancel: Bool = false, holdsStep: Bool = false) {
    bits = UInt(bitPattern: ObjectIdentifier(child)) | (outlastsCancel ? Self.outlasting : 0)
    if holdsStep { bits |= Self.special }
  }

  /// - Parameter number: Counted from 1; 0 is for who never leaves.
  @inlinable
  init(waiter number: UInt) {
    bits = number << 4 | Self.waiting
  }

  /// For a task that awaits and never leaves: no count reaches its number.
  @inlinable
  init(staying: Void) {
    bits = ~15 | Self.waiting
  }

  /// For a closure that a reaction holds in place of its call: see ``Promise/observing(_:)``.
  @inlinable
  init(observer: Void) {
    bits = Self.waiting | Self.special
  }

  /// The number without the manners.
  @inlinable var name: UInt { bits & ~(Self.outlasting | Self.departed | Self.special) }

  /// Whether the reaction stays when the promise that it feeds is cancelled: `finally` and `catch`
  /// watch the outcome for their own sake.
  @inlinable var outlastsCancel: Bool { bits & Self.outlasting != 0 }

  /// Whether its owner has left although it stays.
  @inlinable var hasLeft: Bool {
    get { bits & Self.departed != 0 }
    set { bits = newValue ? bits | Self.departed : bits & ~Self.departed }
  }

  /// Whether the reaction only resumes a task. That runs none of its code here, so it needs neither
  /// lane nor turn.
  @inlinable var resumes: Bool { bits & Self.waiting != 0 && bits >> 4 != 0 }

  /// Whether the reaction is only an observer's closure, which its promise knows how to call.
  @inlinable var isObserver: Bool { bits == Self.waiting | Self.special }

  /// Whether the promise that the reaction feeds holds the step of the reaction, which is to be freed
  /// when the reaction leaves.
  @inlinable var holdsStep: Bool { bits & (Self.waiting | Self.special) == Self.special }

  @inlinable static var waiting: UInt { 1 }
  @inlinable static var outlasting: UInt { 2 }
  @inlinable static var departed: UInt { 4 }
  @inlinable static var special: UInt { 8 }
}
