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
