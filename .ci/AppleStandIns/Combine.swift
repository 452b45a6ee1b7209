public protocol Publisher<Output, Failure> { associatedtype Output; associatedtype Failure: Error }
public enum Subscribers { public enum Completion<Failure: Error> { case finished, failure(Failure) } }
public final class AnyCancellable { public func cancel() {} }
public final class Future<Output, Failure: Error>: Publisher {
  public typealias Promise = (Result<Output, Failure>) -> Void
  public init(_ attemptToFulfill: @escaping (@escaping Promise) -> Void) {}
}
public struct AnyPublisher<Output, Failure: Error>: Publisher {}
public enum Publishers {
  public struct CompactMap<Upstream: Publisher, Output>: Publisher { public typealias Failure = Upstream.Failure }
  public struct First<Upstream: Publisher>: Publisher { public typealias Output = Upstream.Output; public typealias Failure = Upstream.Failure }
}
public final class CurrentValueSubject<Output, Failure: Error>: Publisher {
  public init(_ value: Output) {}
  public func send(_ value: Output) {}
  public func send(completion: Subscribers.Completion<Failure>) {}
}
extension Publisher {
  public func sink(receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void, receiveValue: @escaping (Output) -> Void) -> AnyCancellable { AnyCancellable() }
  public func compactMap<T>(_ transform: @escaping (Output) -> T?) -> Publishers.CompactMap<Self, T> { .init() }
  public func first() -> Publishers.First<Self> { .init() }
  public func eraseToAnyPublisher() -> AnyPublisher<Output, Failure> { .init() }
}
public protocol TopLevelDecoder<Input> {
  associatedtype Input
  func decode<T: Decodable>(_ type: T.Type, from input: Input) throws -> T
}
