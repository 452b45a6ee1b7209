/// One benchmark in a file in the form of JMH, as far as it matters here.
struct Export: Decodable {
  let benchmark: String
  let secondaryMetrics: [String: Metric]

  /// The benchmark's name, without the names of package and suite before it.
  var name: String {
    String(benchmark.split(separator: ".", maxSplits: 3).last ?? "")
  }

  struct Metric: Decodable {
    let scorePercentiles: [String: Double]

    var median: Double? { scorePercentiles["50.0"] }
  }
}
