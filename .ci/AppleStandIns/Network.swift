// As Network.swiftinterface has it.
import Dispatch
import Foundation
import Security

public enum NWEndpoint {
  case hostPort(host: Host, port: Port)
  public struct Host { public init(_ host: String) {} }
  public struct Port { public init?(rawValue: UInt16) {} }
}
public class NWProtocolTLS {
  public class Options {
    public init() {}
    public var securityProtocolOptions: sec_protocol_options_t { sec_protocol_options_t() }
  }
}
public class NWProtocolTCP {
  public class Options {
    public init() {}
    public var noDelay: Bool { get { false } set {} }
  }
}
public enum NWInterface {
  public enum InterfaceType: Sendable { case other, wifi, cellular, wiredEthernet, loopback }
}
public final class NWParameters: Sendable {
  public init(tls: NWProtocolTLS.Options?, tcp: NWProtocolTCP.Options = NWProtocolTCP.Options()) {}
  public var prohibitedInterfaceTypes: [NWInterface.InterfaceType]? { get { nil } set {} }
  public var prohibitConstrainedPaths: Bool { get { false } set {} }
  public var prohibitExpensivePaths: Bool { get { false } set {} }
  public final class PrivacyContext: Sendable {
    public init(description: String) {}
    public var proxyConfigurations: [ProxyConfiguration] { get { [] } set {} }
  }
  public func setPrivacyContext(_ context: NWParameters.PrivacyContext) {}
}
public enum NWError: Error, Sendable {
  case posix(POSIXErrorCode)
  case dns(Int32)
  case tls(OSStatus)
}
public final class NWConnection: Sendable {
  public enum State: Sendable {
    case setup
    case waiting(NWError)
    case preparing
    case ready
    case failed(NWError)
    case cancelled
  }
  public class ContentContext: @unchecked Sendable {
    public static let defaultMessage = ContentContext()
  }
  public enum SendCompletion: Sendable {
    case contentProcessed(@Sendable (NWError?) -> Void)
    case idempotent
  }
  public init(host: NWEndpoint.Host, port: NWEndpoint.Port, using: NWParameters) {}
  public var stateUpdateHandler: (@Sendable (NWConnection.State) -> Void)? { get { nil } set {} }
  public func start(queue: DispatchQueue) {}
  public func cancel() {}
  public func send(
    content: Data?, contentContext: NWConnection.ContentContext = .defaultMessage, isComplete: Bool = true,
    completion: NWConnection.SendCompletion
  ) {}
  public func receive(
    minimumIncompleteLength: Int, maximumLength: Int,
    completion: @escaping @Sendable (Data?, NWConnection.ContentContext?, Bool, NWError?) -> Void
  ) {}
}
public struct ProxyConfiguration: Sendable {
  public init(httpCONNECTProxy: NWEndpoint, tlsOptions: NWProtocolTLS.Options? = nil) {}
  public init(socksv5Proxy: NWEndpoint) {}
  public var excludedDomains: [String] { get { [] } set {} }
  public mutating func applyCredential(username: String, password: String) {}
}
@_exported import FoundationNetworking
extension URLSessionConfiguration {
  public var proxyConfigurations: [ProxyConfiguration] { get { [] } set {} }
}

public struct NWPath: Sendable {
  public enum Status: Sendable { case satisfied, unsatisfied, requiresConnection }
  public var status: Status { .satisfied }
}
public final class NWPathMonitor: Sendable {
  public init() {}
  public var pathUpdateHandler: (@Sendable (NWPath) -> Void)? {
    get { nil }
    set {}
  }
  public func start(queue: DispatchQueue) {}
  public func cancel() {}
}
