import PromiseModule

extension Promise {
  /// The value, if the promise is fulfilled.
  var fulfilledValue: Value? { try? result?.get() }

  /// The error, if the promise is rejected.
  var rejection: (any Error)? {
    if case .failure(let error) = result { error } else { nil }
  }

  var isSettled: Bool { result != nil }
}
