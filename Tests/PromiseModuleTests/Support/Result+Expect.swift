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

extension Result {
  /// The value of a success.
  var value: Success? { try? get() }

  /// The error of a failure.
  var error: Failure? {
    if case .failure(let error) = self { error } else { nil }
  }
}
