import PromiseModule

extension Promise {
  var fulfilledValue: Value? { try? result?.get() }

  var rejection: (any Error)? {
    if case .failure(let error) = result { error } else { nil }
  }

  var isSettled: Bool { result != nil }
}

extension Result {
  var value: Success? { try? get() }

  var error: Failure? {
    if case .failure(let error) = self { error } else { nil }
  }
}
