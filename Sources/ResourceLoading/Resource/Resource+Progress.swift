public import Foundation

extension Resource {
  /// The same resource, whose loads tell how far the body in one direction has come.
  ///
  /// ```swift
  /// try await client.load(.void(request).onProgress(of: .upload) { print($0.completed) })
  /// ```
  ///
  /// What was asked for before goes on being told, so that a resource can tell both directions.
  ///
  /// - Parameters:
  ///   - direction: Which body: that of the response, or that of the request.
  ///   - report: Is called whenever more of the body was transferred, on a thread of the transport's: it must return
  ///     soon. What it is told never goes back.
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

  /// The same resource, whose loads move a `Progress`, for user interfaces.
  ///
  /// - Parameters:
  ///   - progress: Counts bytes: its `totalUnitCount` is -1, which means that it isn't determined, until it is known
  ///     how many there are.
  ///   - direction: Which body: that of the response, or that of the request.
  public func reporting(
    to progress: Progress, of direction: TransferProgress.Direction = .download
  ) -> Resource {
    onProgress(of: direction) { step in
      progress.totalUnitCount = step.total.map(Int64.init) ?? -1
      progress.completedUnitCount = Int64(step.completed)
    }
  }
}

/// How far the transfer of a body has come.
///
/// The numbers of one load never go back, also when a part of it is transferred again.
public struct TransferProgress: Sendable, Hashable {
  /// Which way a body goes.
  public enum Direction: Sendable, Hashable {
    /// To the server.
    case upload
    /// From the server.
    case download
  }

  /// Which body it is.
  public var direction: Direction

  /// How many bytes were transferred: as they go on the wire for an upload, decoded for a download, with
  /// what was there before a download was resumed.
  public var completed: Int

  /// How many bytes there are in all; `nil` if that isn't known.
  public var total: Int?

  /// Makes a progress.
  init(_ direction: Direction, completed: Int, of total: Int?) {
    self.direction = direction
    self.completed = completed
    self.total = total
  }

  /// The part that is done, from 0 to 1; `nil` if it isn't known how many bytes there are.
  public var fraction: Double? {
    total.map { $0 > 0 ? min(1, Double(completed) / Double($0)) : 1 }
  }
}
