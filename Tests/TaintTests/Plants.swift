import Foundation
import ResourceLoading
import ResourceXML
import Testing

/// A way in which a secret gets into a request: through a public symbol that takes text.
struct Plant: Sendable, CustomTestStringConvertible {
  let name: String
  let shape: Secret.Shape
  /// The symbols through which it goes, as `.api` has them.
  let symbols: [String]
  /// Whether the secret is in the request's body, which some files keep as it is.
  let isInBody: Bool
  /// Whether only a name of ``ownNames`` tells that it is a secret.
  let usesOwnNames: Bool
  let plant: @Sendable (inout Setup, String) throws -> Void

  /// A client and a request.
  struct Setup {
    var configuration: Client.Configuration
    var request: Request
  }

  init(
    _ name: String, _ shape: Secret.Shape = .plain, _ symbols: String..., isInBody: Bool = false,
    usesOwnNames: Bool = false,
    plant: @escaping @Sendable (inout Setup, String) throws -> Void
  ) {
    (self.name, self.shape, self.symbols) = (name, shape, symbols)
    (self.isInBody, self.usesOwnNames, self.plant) = (isInBody, usesOwnNames, plant)
  }

  var testDescription: String { name }

  var secret: Secret { Secret(name, shape) }
}

extension Plant {
  /// The names that some plants say are secret, too.
  static let ownNames: Set = ["X-Pet", "pet"]

  /// The secrets in the values of headers and in the target, which an outbox keeps if their names
  /// aren't those of credentials: the write can't be sent without them.
  static let keptByOutbox: Set = [
    "Accept", "a URL in a header", "a URL in a query item", "a named part of a path",
    "a token in a harmless header", "a token in a path", "a token in a path's text",
  ]

  static let all = headers + queries + urls + bodies + clients

  private static func url(_ text: String) throws -> URL {
    guard let url = URL(string: text) else { throw URLError(.badURL) }
    return url
  }

  private struct Login: Encodable, Sendable {
    var user = "ada"
    var password: String
  }

  private static let headers: [Plant] = [
    Plant("Authorization", .plain, "Request.header(_:_:)") {
      $0.request = $0.request.header(.authorization, "Bearer \($1)")
    },
    Plant("Cookie", .plain, "Request.headers(_:)", "Headers.init(dictionaryLiteral:)") {
      $0.request = $0.request.headers([.cookie: "sid=\($1); theme=dark"])
    },
    Plant("X-Api-Key", .awkward, "Request.init(_:_:query:headers:body:)") {
      $0.request = Request(.get, "/items", headers: ["X-Api-Key": $1])
    },
    Plant("Proxy-Authorization", .plain, "Headers.append(_:_:)", "Request.headers") {
      $0.request.headers.append(
        .proxyAuthorization, "Basic \(Data("me:\($1)".utf8).base64EncodedString())")
    },
    Plant(
      "a header that the request names secret", .awkward, "Headers.subscript(_:)",
      usesOwnNames: true
    ) {
      $0.request.options.secretNames = ["X-Pet"]
      $0.request.headers["X-Pet"] = $1
    },
    Plant("a token in a harmless header", .token, "Headers.Field.init(_:_:)") {
      let field = Headers.Field("X-Note", "see \($1), please")
      $0.request.headers.append(field.name, field.value)
    },
    Plant("a URL in a header", .plain, "Request.header(_:_:)") {
      $0.request = $0.request.header(.referer, "https://example.org/?access_token=\($1)&a=b")
    },
    Plant("Accept", .token, "Request.accept(_:)", "MediaType.init(rawValue:)") {
      $0.request = $0.request.accept(MediaType(rawValue: "application/json; token=\($1)"))
    },
  ]

  private static let queries: [Plant] = [
    Plant("a query item", .awkward, "Request.query(_:)", "QueryItems.init(dictionaryLiteral:)") {
      $0.request = $0.request.query(["api_key": $1, "page": 2])
    },
    Plant("a query of the initialiser", .plain, "Request.init(_:url:query:headers:body:)") {
      $0.request = Request(url: try url("https://api.example.org/items"), query: ["token": $1])
    },
    Plant("an appended query", .plain, "QueryItems.append(_:)", "QueryItems.init(encoded:)") {
      $0.request.query.append(QueryItems(encoded: "a=b&client_secret=\($1)"))
    },
    Plant("a set query item", .awkward, "QueryItems.subscript(_:)", "Request.query") {
      $0.request.query["password"] = $1
    },
    Plant(
      "a query item as a value", .plain, "QueryItems.Item.init(_:_:)", "QueryItems.init(_:)",
      "QueryItems.items", "QueryItems.Item.value"
    ) {
      var item = QueryItems.Item("sig", nil)
      item.value = $1
      $0.request.query.items = QueryItems([item]).items
    },
    Plant("an encoded query", .awkward, "Request.query(encoding:style:)") {
      $0.request = $0.request.query(encoding: Login(password: $1))
    },
    Plant("nested parameters of a query", .plain, "Request.query(_:style:)") {
      $0.request = $0.request.query(["user": ["password": "\($1)"]] as NestedParameters)
    },
    Plant(
      "parameters with a style", .plain, "Request.query(_:style:)", "QueryItems.init(_:style:)",
      "Parameters.init(dictionaryLiteral:)"
    ) {
      var style = Parameters.Style()
      style.nesting = .dots
      let parameters: Parameters = ["user": ["password": $1]]
      $0.request = $0.request.query(parameters, style: style)
      $0.request.query.append(QueryItems(parameters, style: style))
    },
    Plant(
      "a query item that the request names secret", .awkward, "Request.Options.secretNames",
      usesOwnNames: true
    ) {
      $0.request.options.secretNames = ["pet"]
      $0.request.query["pet"] = $1
    },
    Plant("a URL in a query item", .plain, "QueryItems.subscript(_:)") {
      $0.request.query["next"] = "https://other.example/?code=\($1)"
    },
  ]

  private static let urls: [Plant] = [
    Plant("the query of a URL", .plain, "Request.get(_:)") {
      $0.request = .get(try url("https://api.example.org/items?access_token=\($1)"))
    },
    Plant("the user info of a URL", .plain, "Request.post(_:)", "Request.address") {
      $0.request = .post(try url("https://me:\($1)@api.example.org/items"))
    },
    Plant("the user info of a URL that is queried", .plain, "Request.query(_:)") {
      $0.request = .query(try url("https://me:\($1)@api.example.org/items"))
    },
    Plant("a URL below another one", .plain, "Request.below(_:)") {
      $0.request = $0.request.below(try url("https://me:\($1)@api.example.org/v1/"))
    },
    Plant("the fragment of a URL", .plain, "Request.head(_:)") {
      $0.request = .get(try url("https://api.example.org/items#access_token=\($1)&a=b"))
    },
    Plant(
      "a token in a path", .token, "RequestPath.init(stringInterpolation:)",
      "RequestPath.Interpolation.appendInterpolation(_:)"
    ) {
      $0.request = .get("/keys/\($1)/items")
    },
    Plant("a token in a path's text", .token, "RequestPath.init(_:)", "Request.put(_:)") {
      $0.request = .put(RequestPath("/keys/\($1)"))
    },
    Plant("a named part of a path", .plain, "RequestPath.init(encoded:)", "Request.delete(_:)") {
      $0.request = .delete(RequestPath(encoded: "/items;token=\($1)"))
    },
  ]

  private static let bodies: [Plant] = [
    Plant("a form", .awkward, "Request.form(_:style:)", isInBody: true) {
      $0.request = Request.post("/items").form(["user": "ada", "password": $1])
    },
    Plant("nested parameters of a form", .plain, "Request.form(_:style:)", isInBody: true) {
      $0.request = Request.post("/items").form(["user": ["pin": "\($1)"]] as NestedParameters)
    },
    Plant("an encoded form", .awkward, "Request.form(encoding:style:)", isInBody: true) {
      $0.request = Request.post("/items").form(encoding: Login(password: $1))
    },
    Plant("a JSON body", .awkward, "Request.json(_:encoder:)", isInBody: true) {
      $0.request = Request.post("/items").json(Login(password: $1))
    },
    Plant("parameters as JSON", .awkward, "Request.Body.json(_:encoder:)", isInBody: true) {
      $0.request.body = .json(["list": [["client_secret": $1]]] as Parameters)
      $0.request.method = .post
    },
    Plant(
      "a multipart field", .awkward, "Request.multipart(_:)", "Multipart.Part.field(_:_:)",
      "Multipart.init(arrayLiteral:)", isInBody: true
    ) {
      $0.request = Request.post("/items").multipart([
        .field("user", "ada"), .field("password", $1),
      ])
    },
    Plant(
      "parts of a multipart body", .plain, "Multipart.Part.json(_:_:encoder:)",
      "Multipart.Part.data(_:_:filename:as:)", "Multipart.Part.headers",
      "Multipart.init(_:boundary:)", isInBody: true
    ) {
      var part = Multipart.Part.json("login", Login(password: $1))
      part.headers["X-Api-Key"] = $1
      let data = Multipart.Part.data("token", Data($1.utf8), filename: "a.txt")
      $0.request = Request.post("/items").multipart(Multipart([part, data]))
    },
    Plant(
      "GraphQL variables", .awkward, "GraphQLOperation.init(_:variables:operationName:)",
      "Request.Body.graphQL(_:)", isInBody: true
    ) {
      let operation = GraphQLOperation(
        "mutation ($password: String) { a }", variables: ["password": $1])
      $0.request = Request.post("/graphql").body(.graphQL(operation))
    },
    Plant("a GraphQL document", .plain, "GraphQLOperation.query", isInBody: true) {
      var operation = GraphQLOperation("{ a }", variables: Login(password: $1))
      operation.query = #"mutation { login(password: "\#($1)") { id } }"#
      $0.request = Request.post("/graphql").body(.graphQL(operation))
    },
    Plant("a text body", .plain, "Request.Body.text(_:as:)", "Request.body", isInBody: true) {
      $0.request = Request.post("/items").body(.text("grant_type=x&client_secret=\($1)"))
    },
    Plant("a data body", .token, "Request.Body.data(_:as:)", isInBody: true) {
      $0.request = Request.post("/items").body(.data(Data("{\"note\": \"\($1)\"}".utf8), as: .json))
    },
    Plant("XML in a body", .plain, "Request.body(_:)", isInBody: true) {
      let text = "<login><password>\($1)</password></login>"
      $0.request = Request.post("/items").body(.text(text, as: "text/xml"))
    },
    Plant(
      "an element of an XML body", .awkward, "Request.Body.xml(_:_:as:_:)",
      "XMLWriter.element(_:_:text:)", "XMLWriter.element(_:_:_:)", "XMLWriter.text(_:)",
      "XMLWriter.document(_:_:_:)", "XMLWriter.element(_:_:)", isInBody: true
    ) { setup, secret in
      setup.request = Request.post("/items").body(
        .xml("login", ["api_key": secret]) {
          $0.element("password", text: secret)
          $0.element("client_secret") { $0.text(secret) }
        })
    },
    Plant("the type of a body", .token, "Request.Body.mediaType", isInBody: true) {
      $0.request = Request.post("/items").body(.text("a", as: "text/plain"))
      $0.request.body?.mediaType = MediaType(rawValue: "text/plain; token=\($1)")
    },
  ]

  private static let clients: [Plant] = [
    Plant(
      "the user info of the base URL", .plain, "Client.init(baseURL:_:)",
      "Client.Configuration.init(baseURL:)", "Client.Configuration.baseURL"
    ) {
      $0.configuration.baseURL = try url("https://me:\($1)@api.example.org/")
    },
    Plant("a default header", .awkward, "Client.Configuration.headers") {
      $0.configuration.headers["X-Auth-Token"] = $1
    },
    Plant(
      "a default header that the client names secret", .plain, "Client.Configuration.options",
      usesOwnNames: true
    ) {
      $0.configuration.options.secretNames = ["X-Pet"]
      $0.configuration.headers["X-Pet"] = $1
    },
    Plant(
      "a secret of the client's own name in a default header", .plain,
      "Client.Configuration.options", usesOwnNames: true
    ) {
      $0.configuration.options.secretNames = ["pet"]
      $0.configuration.headers["X-Next"] = "https://other.example/?pet=\($1)"
    },
    Plant("a default query item", .awkward, "Client.Configuration.query") {
      $0.configuration.query["key"] = $1
    },
    Plant("a default parameter", .awkward, "Client.Configuration.parameters") {
      $0.configuration.parameters["api_key"] = $1
    },
    Plant("a password", .awkward, "BasicAuthentication.init(user:password:)") {
      $0.configuration.middleware.append(BasicAuthentication(user: "ada", password: $1))
    },
    Plant(
      "a bearer token", .plain, "BearerAuthentication.init(token:renewal:)",
      "BearerToken.init(_:expiration:)"
    ) {
      $0.configuration.middleware.append(BearerAuthentication(token: BearerToken($1)))
    },
    Plant(
      "a token that was signed in", .plain, "BearerAuthentication.signIn(_:)", "BearerToken.value"
    ) {
      let authentication = BearerAuthentication()
      var token: BearerToken = "other"
      token.value = $1
      authentication.signIn(token)
      $0.configuration.middleware.append(authentication)
    },
    Plant("a renewed token", .plain, "BearerAuthentication.Renewal") { setup, secret in
      setup.configuration.middleware.append(
        BearerAuthentication { _, _ in BearerToken(secret) })
    },
    Plant(
      "a cookie of the jar", .plain, "CookieJar.insert(_:)",
      "Cookie.init(name:value:domain:includesSubdomains:path:expiration:isSecure:)"
    ) {
      let jar = CookieJar()
      jar.insert(Cookie(name: "a", value: $1, domain: "api.example.org"))
      $0.configuration.cookies = jar
    },
    Plant("a signature", .plain, "Client.Configuration.sign", "Client.Configuration.Signature") {
      setup, secret in
      setup.configuration.sign = { draft, _ in
        draft.headers["X-Amz-Security-Token"] = secret
        draft.url.append(queryItems: [URLQueryItem(name: "X-Amz-Signature", value: secret)])
      }
    },
    Plant("an error of the signing hook", .token, "Client.Configuration.Signature") {
      setup, secret in
      setup.configuration.sign = { _, _ in throw Foreign(description: "no key \(secret)") }
    },
    Plant("an error of middleware", .token, "Middleware.respond(to:next:)") {
      $0.configuration.middleware.append(Failing(text: "no token \($1)"))
    },
    Plant("a header of middleware", .plain, "Next.callAsFunction(_:)") {
      $0.configuration.middleware.append(Adding(secret: $1))
    },
  ]

  private struct Failing: Middleware {
    let text: String
    func respond(to request: Request, next: Next) async throws -> Response {
      throw Foreign(description: text)
    }
  }

  private struct Adding: Middleware {
    let secret: String
    func respond(to request: Request, next: Next) async throws -> Response {
      try await next(request.header("X-Api-Key", secret).query(["session": secret]))
    }
  }
}
