import Testing

@testable import ResourcePrimitives

@Suite struct SecretsTests {
  @Test(arguments: [
    "X-Functions-Key", "Ocp-Apim-Subscription-Key", "DD-APPLICATION-KEY", "X-Auth-Token", "apiKey",
    "x-amz-server-side-encryption-customer-key", "x-goog-encryption-key-sha256", "code_verifier",
    "device_code", "SAMLResponse", "passcode", "jsessionid", "client_secret", "Set-Cookie",
    "X-Amz-Signature",
    "user[password]", "user.key", "access%5Ftoken", "X-CSRF-Token", "client_assertion", "KEY",
  ])
  func `a name of a secret is recognized in any case and with any separators`(_ name: String) {
    #expect(Secrets.isSecret(name: name))
    #expect(Secrets.isSecret(name: name.uppercased()) || name.contains("%"))
    #expect(Secrets.isSecret(name: name.replacing("_", with: "-")))
  }

  @Test(arguments: [
    "keyboard", "Accept", "User-Agent", "page", "error_code", "status-code", "zipCode", "author",
    "codec",
    "public_key", "", "[]", "%", "…",
  ])
  func `other names aren't recognized`(_ name: String) {
    #expect(!Secrets.isSecret(name: name))
  }

  @Test func `names that the caller adds and their parts are recognized`() {
    let others: Set<String> = ["X-Tenant"]

    #expect(Secrets.isSecret(name: "x_tenant", or: others))
    #expect(Secrets.isSecret(name: "filter[xTenant]", or: others))
    #expect(!Secrets.isSecret(name: "x_tenants", or: others))
    #expect(!Secrets.isSecret(name: "x_tenant"))
  }
}
