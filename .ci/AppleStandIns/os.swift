// What `SignpostRecorder` uses of Apple's module `os`.
public struct OSSignpostID: Sendable {
  public init(_ value: UInt64) {}
  public static let exclusive = OSSignpostID(0)
}
public final class OSSignpostIntervalState {
  public static func beginState(id: OSSignpostID) -> OSSignpostIntervalState { .init() }
}
public enum OSLogPrivacy { case auto, `public`, `private` }
public struct OSLogInterpolation: StringInterpolationProtocol {
  public init(literalCapacity: Int, interpolationCount: Int) {}
  public mutating func appendLiteral(_ literal: String) {}
  public mutating func appendInterpolation(
    _ text: @autoclosure @escaping () -> String, privacy: OSLogPrivacy = .auto
  ) {}
}
public struct SignpostMetadata: ExpressibleByStringInterpolation {
  public init(stringLiteral value: String) {}
  public init(stringInterpolation: OSLogInterpolation) {}
}
public final class OSSignposter: Sendable {
  public init(subsystem: String, category: String) {}
  public var isEnabled: Bool { true }
  public func beginInterval(
    _ name: StaticString, id: OSSignpostID, _ message: SignpostMetadata
  ) -> OSSignpostIntervalState { .init() }
  public func endInterval(_ name: StaticString, _ state: OSSignpostIntervalState) {}
}
