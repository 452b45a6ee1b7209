public import Foundation
public import ResourceLoading

/// The state of a resource at one moment.
public struct LiveState<R: Sendable>: Sendable {
  /// The latest value; `nil` until there is one.
  public var value: R?
  /// The error of the last load; `nil` if it succeeded. The value of an earlier load is kept.
  public var error: (any Error)?
  /// Whether a load is under way.
  public var isLoading: Bool
  /// Whether the value is no longer fresh; `false` without a value.
  public var isStale: Bool
  /// When the server sent or confirmed the value, or the program set it.
  public var updated: Date?
  /// The progress of the load under way; `nil` until part of a body has been transferred.
  public var progress: TransferProgress?

  /// Creates a state.
  public init(
    value: R? = nil, error: (any Error)? = nil, isLoading: Bool = false, isStale: Bool = false,
    updated: Date? = nil, progress: TransferProgress? = nil
  ) {
    self.value = value
    self.error = error
    self.isLoading = isLoading
    self.isStale = isStale
    self.updated = updated
    self.progress = progress
  }
}

/// The parts of a state that change and are observed independently.
struct LiveParts: OptionSet, Sendable {
  let rawValue: UInt8

  static let value = LiveParts(rawValue: 1)
  static let error = LiveParts(rawValue: 2)
  static let isLoading = LiveParts(rawValue: 4)
  static let isStale = LiveParts(rawValue: 8)
  static let updated = LiveParts(rawValue: 16)
  static let progress = LiveParts(rawValue: 32)
}
