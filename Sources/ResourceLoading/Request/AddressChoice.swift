import Synchronization

/// Which of its host's addresses a request is sent to.
///
/// A transport that can choose leaves out some, and records which one it took. Others ignore it.
/// Addresses are bytes: 4 of IPv4 or 16 of IPv6.
final class AddressChoice: Sendable {
  /// The addresses to leave out if the host has others.
  let avoided: Set<[UInt8]>
  private let state = Mutex(State())

  private struct State {
    var last: [UInt8]?
    var hasNoOther = false
  }

  init(avoiding avoided: Set<[UInt8]> = []) { self.avoided = avoided }
}

extension AddressChoice {
  /// The address that was tried last; `nil` if that isn't known.
  var last: [UInt8]? { state.withLock(\.last) }

  /// Whether the host has no other address that can be connected to.
  var hasNoOther: Bool { state.withLock(\.hasNoOther) }

  /// Records an address that is being tried.
  func note(_ address: [UInt8]) { state.withLock { $0.last = address } }

  /// Records that only the avoided addresses are left.
  func noteNoOther() { state.withLock { $0.hasNoOther = true } }
}

extension AddressChoice: Hashable {
  static func == (one: AddressChoice, other: AddressChoice) -> Bool { one === other }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
