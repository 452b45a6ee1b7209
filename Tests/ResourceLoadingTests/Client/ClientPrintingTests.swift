import Foundation
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

@Suite struct ClientPrintingTests {
  @Test func `neither a client nor its configuration shows a secret`() {
    let base = "https://user:hunter22@api.example.org/v1?api_key=s3cret-1&tenant=s3cret-2"
    var configuration = Client.Configuration(baseURL: URL(string: base))
    configuration.options.secretNames = ["Tenant"]
    configuration.headers = [.authorization: "Bearer s3cret-3", "Tenant": "s3cret-4", "X-A": "b"]
    configuration.query = ["access_token": "s3cret-5", "page": "7"]
    configuration.parameters = ["client_secret": "s3cret-6"]
    configuration.proxy = URL(string: "http://me:s3cret-7@p.example").map { ProxyServer(url: $0) }
    configuration.middleware = [RetryMiddleware()]
    let client = Client(configuration)

    var text = "\(client) \(configuration) \(String(reflecting: client))"
    text += String(reflecting: configuration)
    dump(client, to: &text)
    dump(configuration, to: &text)
    dump(["key": client], to: &text)

    for secret in ["s3cret", "hunter22"] { #expect(!text.contains(secret), "\(text)") }
    for shown in ["api.example.org/v1", "page=7", "X-A", "RetryMiddleware"] {
      #expect(text.contains(shown), "\(text)")
    }
  }
}
