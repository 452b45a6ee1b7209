import Dispatch

public protocol Publisher<Output, Failure> {
  associatedtype Output
  associatedtype Failure: Error
}
public enum Subscribers {
  public enum Completion<Failure: Error> { case finished, failure(Failure) }
}
public final class AnyCancellable: Hashable {
  public func cancel() {}
  public func store(in set: inout Set<AnyCancellable>) {}
  public static func == (one: AnyCancellable, other: AnyCancellable) -> Bool { one === other }
  public func hash(into hasher: inout Hasher) {}
}
public protocol Scheduler {}
extension Publishers {
  public struct ReceiveOn<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure
  }
}
public final class Future<Output, Failure: Error>: Publisher {
  public typealias Promise = (Result<Output, Failure>) -> Void
  public init(_ attemptToFulfill: @escaping (@escaping Promise) -> Void) {}
}
public struct AnyPublisher<Output, Failure: Error>: Publisher {}
public enum Publishers {
  public struct CompactMap<Upstream: Publisher, Output>: Publisher {
    public typealias Failure = Upstream.Failure
  }
  public struct First<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure
  }
}
public final class CurrentValueSubject<Output, Failure: Error>: Publisher {
  public init(_ value: Output) {}
  public func send(_ value: Output) {}
  public func send(completion: Subscribers.Completion<Failure>) {}
}
extension Publisher {
  public func sink(
    receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void,
    receiveValue: @escaping (Output) -> Void
  ) -> AnyCancellable { AnyCancellable() }
  public func compactMap<T>(_ transform: @escaping (Output) -> T?) -> Publishers.CompactMap<Self, T>
  { .init() }
  public func first() -> Publishers.First<Self> { .init() }
  public func eraseToAnyPublisher() -> AnyPublisher<Output, Failure> { .init() }
}
public protocol TopLevelEncoder<Output> {
  associatedtype Output
  func encode<T: Encodable>(_ value: T) throws -> Output
}
public protocol TopLevelDecoder<Input> {
  associatedtype Input
  func decode<T: Decodable>(_ type: T.Type, from input: Input) throws -> T
}
public struct Deferred<DeferredPublisher: Publisher>: Publisher {
  public typealias Output = DeferredPublisher.Output
  public typealias Failure = DeferredPublisher.Failure
  public init(createPublisher: @escaping () -> DeferredPublisher) {}
}
extension Publishers {
  public struct HandleEvents<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure
  }
}
public protocol Subscription {}
extension Publisher {
  public func receive<S: Scheduler>(on scheduler: S) -> Publishers.ReceiveOn<Self> { .init() }
  public func handleEvents(
    receiveSubscription: ((any Subscription) -> Void)? = nil,
    receiveOutput: ((Output) -> Void)? = nil,
    receiveCompletion: ((Subscribers.Completion<Failure>) -> Void)? = nil,
    receiveCancel: (() -> Void)? = nil,
    receiveRequest: ((Subscribers.Demand) -> Void)? = nil
  ) -> Publishers.HandleEvents<Self> { .init() }
}
extension Subscribers { public struct Demand {} }
extension DispatchQueue: Scheduler {}
