#if canImport(Combine)
  import Combine
  import Dispatch
  import Foundation
  import ResourceLoading

  /// The samples of the documentation for Combine, word for word.
  @MainActor
  private final class PublisherScreen {
    private var user: User?
    private var subscriptions: Set<AnyCancellable> = []
    private let client: Client

    init(_ client: Client) { self.client = client }

    func show() {
      client.publisher(for: .user("octocat"))
        .receive(on: DispatchQueue.main)
        .sink(receiveCompletion: { print($0) }, receiveValue: { self.user = $0 })
        .store(in: &subscriptions)
    }
  }
#endif
