import Foundation
import ResourcePrimitives

extension LoadError {
  /// Whether the failure comes of this machine, and may pass; see ``PassingFailure``.
  package var isPassingShortage: Bool {
    switch underlying {
    case let error as LoadError: error.isPassingShortage
    case let error as any PassingFailure: error.mayPass
    case let error?: POSIXError(behind: error)?.mayPass ?? false
    case nil: false
    }
  }
}
