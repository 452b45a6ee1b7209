/// Which cases were passed, by the suite's rules.
struct Report {
  let tests: [Case]
  let failures: [String: Failure]
  private let byID: [String: Case]

  init(_ tests: [Case], _ failures: [String: Failure]) {
    self.tests = tests
    self.failures = failures
    byID = Dictionary(tests.map { ($0.id, $0) }) { first, _ in first }
  }

  /// Why a case doesn't count as passed; `nil` if it does. A case counts only if those on which it
  /// depends do, of those that were played.
  func problem(_ test: Case) -> String? {
    if let failure = failures[test.id] { return failure.text }
    for id in test.dependencies ?? [] {
      if let other = byID[id], problem(other) != nil { return "depends on \(id)" }
    }
    return nil
  }

  func count(_ kind: Case.Kind) -> (passed: Int, all: Int) {
    let tests = tests.filter { ($0.kind ?? .required) == kind }
    return (tests.filter { problem($0) == nil }.count, tests.count)
  }

  func print() {
    for kind in Case.Kind.allCases {
      let (passed, all) = count(kind)
      Swift.print("\(kind): \(passed) of \(all)")
      for test in tests where (test.kind ?? .required) == kind {
        if let problem = problem(test) { Swift.print("  \(test.id): \(problem)") }
      }
    }
  }
}
