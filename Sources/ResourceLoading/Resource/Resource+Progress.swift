public import Foundation
import Synchronization

extension Resource {
  /// The same resource, whose loads report the progress of the body in one direction.
  ///
  /// ```swift
  /// try await client.load(.void(request).onProgress(of: .upload) { print($0.completed) })
  /// ```
  ///
  /// Earlier observers stay, so that a resource can report both directions.
  ///
  /// - Parameters:
  ///   - direction: The body to observe: that of the response, or that of the request.
  ///   - report: Called whenever more of the body was transferred, on a thread of the transport: it
  ///     must return soon. The progress never decreases.
  public func onProgress(
    of direction: TransferProgress.Direction = .download,
    _ report: @escaping @Sendable (TransferProgress) -> Void
  ) -> Resource {
    var reporting = self
    reporting.progress = { [progress] step in
      progress?(step)
      if step.direction == direction { report(step) }
    }
    return reporting
  }

  /// The same resource, whose loads update a `Progress`, for user interfaces.
  ///
  /// - Parameters:
  ///   - progress: The progress in bytes. Its `totalUnitCount` is -1, which means indeterminate,
  ///     until the length of the body is known.
  ///   - direction: The body to observe: that of the response, or that of the request.
  public func reporting(
    to progress: Progress, of direction: TransferProgress.Direction = .download
  ) -> Resource {
    onProgress(of: direction) { step in
      progress.totalUnitCount = step.total.map(Int64.init) ?? -1
      progress.completedUnitCount = Int64(step.completed)
    }
  }
}

/// The progress of the transfer of a body.
///
/// The numbers of one load never decrease, even if a part of the body is transferred again.
public struct TransferProgress: Sendable, Hashable {
  /// The direction of a body.
  public enum Direction: Sendable, Hashable {
    /// To the server.
    case upload
    /// From the server.
    case download
  }

  /// The direction of the body.
  public var direction: Direction

  /// The number of transferred bytes: as they are sent for an upload, decoded for a download. The
  /// part that a resumed download already had counts.
  public var completed: Int

  /// The number of bytes in all; `nil` if it isn't known.
  public var total: Int?

  init(_ direction: Direction, completed: Int, of total: Int?) {
    self.direction = direction
    self.completed = completed
    self.total = total
  }

  /// The fraction that is done, from 0 to 1; `nil` if ``total`` isn't known.
  public var fraction: Double? {
    total.map { $0 > 0 ? min(1, Double(completed) / Double($0)) : 1 }
  }
}

/// Reports the progress of one load, which never decreases, however many exchanges it has.
final class ProgressReporter: Sendable {
  private let report: @Sendable (TransferProgress) -> Void
  private let hasListeners: (@Sendable () -> Bool)?
  private let last = Mutex<[TransferProgress.Direction: TransferProgress]>([:])

  /// - Parameter hasListeners: Whether anybody listens to a shared load now; `nil` for a load whose
  ///   reports are always wanted.
  init(
    when hasListeners: (@Sendable () -> Bool)? = nil,
    _ report: @escaping @Sendable (TransferProgress) -> Void
  ) {
    self.report = report
    self.hasListeners = hasListeners
  }

  /// Whether there are listeners. Otherwise the progress needn't be determined.
  var isWanted: Bool { hasListeners?() ?? true }

  func callAsFunction(_ progress: TransferProgress) {
    let isNews = last.withLock { last in
      if let before = last[progress.direction] {
        guard progress.completed > before.completed else { return false }
        // Of a longer body that is transferred instead, the same number of bytes isn't progress
        // yet.
        if let one = before.fraction, let next = progress.fraction, next < one { return false }
      }
      last[progress.direction] = progress
      return true
    }
    if isNews { report(progress) }
  }
}
