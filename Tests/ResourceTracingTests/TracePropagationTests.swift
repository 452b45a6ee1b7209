import Foundation
import Testing

@testable import ResourceTracing

/// Which servers get the headers of a trace.
struct TracePropagationTests {
  @Test(
    arguments: [
      (.baseURL, "https://a.example/v1", "https://a.example/v2", true),
      (.baseURL, "https://a.example", "https://A.example:443/", true),
      (.baseURL, "https://a.example", "https://a.example.evil/", false),
      (.baseURL, "https://a.example", "https://a.example:444/", false),
      (.baseURL, "https://a.example", "http://a.example/", false),
      (.baseURL, "https://a.example", "https://b.example/", false),
      (.baseURL, nil, "https://a.example/", false),
      (.nowhere, "https://a.example", "https://a.example/", false),
      (.everywhere, nil, "https://a.example/", true),
    ] as [(TracePropagation, String?, String, Bool)])
  func `the base URL's origin is told, every server or none`(
    _ propagation: TracePropagation, _ base: String?, _ text: String, _ isAllowed: Bool
  ) throws {
    let url = try #require(URL(string: text))
    let baseURL = base.flatMap { URL(string: $0) }
    let other = try #require(URL(string: "https://c.example/path"))

    #expect(propagation.allows(url, baseURL: baseURL) == isAllowed)
    #expect(propagation.and(other).allows(url, baseURL: baseURL) == isAllowed)
    #expect(propagation.and(other).allows(other, baseURL: baseURL))
  }
}
