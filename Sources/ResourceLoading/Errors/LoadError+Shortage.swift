import Foundation
import ResourcePrimitives

extension LoadError {
  /// Whether this machine caused the failure and it may pass; see ``PassingFailure``.
  package var isPassingShortage: Bool {
    switch underlying {
    case let error as LoadError: error.isPassingShortage
    case let error as any PassingFailure: error.mayPass
    case let error?: POSIXError(behind: error)?.mayPass ?? false
    case nil: false
    }
  }
}
