public import Foundation

extension Resource {
  /// The same resource, whose loads tell how far they have come.
  ///
  /// - Parameter report: Is called whenever more of a body was transferred, on a thread of the transport's: it
  ///   must return soon. What it is told never goes back.
  public func onProgress(_ report: @escaping @Sendable (TransferProgress) -> Void) -> Resource {
    var reporting = self
    reporting.progress = report
    return reporting
  }

  /// The same resource, whose loads move a `Progress` as their response arrives, for user interfaces.
  ///
  /// - Parameter progress: Counts bytes: its `totalUnitCount` is -1, which means that it isn't determined, until
  ///   the response tells how many there are.
  public func reporting(to progress: Progress) -> Resource {
    onProgress { step in
      guard step.direction == .download else { return }
      progress.totalUnitCount = step.total.map(Int64.init) ?? -1
      progress.completedUnitCount = Int64(step.completed)
    }
  }
}

extension Request {
  /// Where the body of a load of this request goes; `nil` for memory.
  func makeDestination() -> (any BodyDestination)? {
    switch destination {
    case .memory: nil
    case .file(let file, let resuming):
      FileDestination(file, resumes: resuming, accepted: options.acceptedStatuses ?? .successful)
    }
  }
}
