import Foundation
import PromiseModule
import ResourceCache
import ResourceLoading
import ResourceOutbox
import ResourceState
import ResourceTesting
import ResourceTracing
import ResourceXML
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A value that holds a secret by a public symbol, and that a program may print, dump or show in a
/// debugger.
struct Holder: Sendable, CustomTestStringConvertible {
  /// The type, as `.api` has it.
  let type: String
  let symbols: [String]
  let make: @Sendable (_ secret: String) throws -> Any

  init(
    _ type: String, _ symbols: String..., make: @escaping @Sendable (_ secret: String) throws -> Any
  ) {
    (self.type, self.symbols, self.make) = (type, symbols, make)
  }

  var testDescription: String { type }
}

extension Holder {
  static let all = requests + responses + clients + modules

  private static func url(_ secret: String) throws -> URL {
    try #require(URL(string: "https://me:\(secret)@api.example.org/items?token=\(secret)"))
  }

  private struct Login: Codable, Sendable {
    var password: String
  }

  private static let requests: [Holder] = [
    Holder("Request", "Request.patch(_:)") { Request.patch(try url($0)) },
    Holder("Request.Address", "Request.Address.url(_:)") { Request.Address.url(try url($0)) },
    Holder(
      "Resource", "Resource.init(url:parser:)", "Resource.text(_:)", "Resource.data(_:)",
      "Resource.void(_:)"
    ) {
      Resource<Void>.void(Request.get(try url($0)).header(.authorization, $0))
    },
    Holder("WireRequest", "WireRequest.init(_:url:headers:body:)", "WireRequest.init(_:encoder:)") {
      try WireRequest(
        .post, url: #require(URL(string: "https://api.example.org/?token=\($0)")),
        headers: [.authorization: $0], body: Data($0.utf8))
    },
    Holder("WireRequest.Draft", "WireRequest.Draft.init(method:url:headers:body:)") {
      WireRequest.Draft(url: try url($0), headers: [.cookie: "a=\($0)"])
    },
    Holder("Headers") { ["X-Api-Key": $0] as Headers },
    Holder("Headers", "Headers.init(_:)") { Headers(["X-Api-Key": $0]) },
    Holder("Headers.Field") { Headers.Field(.setCookie, "sid=\($0)") },
    Holder("QueryItems") { ["password": $0] as QueryItems },
    Holder("QueryItems.Item") { QueryItems.Item("password", $0) },
    Holder("Request.Body", "Request.Body.stream(as:_:)") { Request.Body.form(["password": $0]) },
    Holder("Multipart.Part", "Multipart.Part.init(_:_:filename:)") {
      Multipart.Part("password", .text($0))
    },
    Holder("Multipart") { Multipart([.field("password", $0)]) },
    Holder("WireBody", "WireBody.init(_:)", "WireBody.Segment.data(_:)") {
      WireBody([.data(Data($0.utf8))])
    },
    Holder("WireBodyReader.Piece", "WireBodyReader.Piece.bytes(_:)") {
      WireBodyReader.Piece.bytes(Data($0.utf8))
    },
    Holder("WireBodyReader") { WireBody(Data($0.utf8)).makeReader() },
    Holder("Parameters", "Parameters.init(arrayLiteral:)", "Parameters.init(encoding:)") {
      Parameters(encoding: Login(password: $0))
    },
    Holder("NestedParameters") { ["password": "\($0)"] as NestedParameters },
    Holder("GraphQLOperation") {
      GraphQLOperation("{ login(password: \"\($0)\") }", variables: ["password": $0])
    },
    Holder("Cookie", "Cookie.value") { Cookie(name: "a", value: $0, domain: "example.org") },
    Holder("CookieJar", "CookieJar.store(_:from:at:)") { secret in
      let jar = CookieJar()
      jar.store([.setCookie: "sid=\(secret)"], from: try url("x"))
      #expect(jar.cookies.count == 1)
      return [jar, jar.cookies] as [Any]
    },
    Holder("BearerToken", "BearerToken.init(stringLiteral:)") { BearerToken($0) },
    Holder("BasicAuthentication") { BasicAuthentication(user: "ada", password: $0) },
    Holder("BearerAuthentication") { BearerAuthentication(token: BearerToken($0)) },
    Holder("BearerAuthentication", "BearerAuthentication.init(token:renewal:)") {
      BearerAuthentication(token: $0)
    },
  ]

  private static let responses: [Holder] = [
    Holder("Response", "Response.init(url:method:status:headers:body:)") {
      Response(url: try url($0), headers: [.setCookie: "sid=\($0)"], body: Data($0.utf8))
    },
    Holder("Response.Link") {
      Response(url: try url("x"), headers: [.link: "<https://a.example/?token=\($0)>; rel=next"])
        .links
    },
    Holder("ResponseHead", "ResponseHead.init(status:headers:)") {
      ResponseHead(status: .ok, headers: [.setCookie: "sid=\($0)"])
    },
    Holder("DownloadOptions") {
      var options = DownloadOptions()
      options.mirrors = [try url($0)]
      return [options, Request.Destination.file(try url("x"), options)] as [Any]
    },
    Holder("LoadedResponse") {
      LoadedResponse(value: 1, response: Response(url: try url($0), body: Data($0.utf8)))
    },
    Holder(
      "SampleResponse", "SampleResponse.init(_:status:headers:)", "Resource.sample(_:as:status:)"
    ) {
      SampleResponse(Data($0.utf8), headers: [.setCookie: "sid=\($0)"])
    },
    Holder(
      "LoadEvent.Kind", "LoadEvent.Kind.sent(method:url:)", "LoadEvent.Kind.failed(_:)",
      "LoadEvent.Kind.cacheFailed(_:)", "LoadEvent.Kind.retrying(attempt:after:because:)"
    ) {
      [
        .started(.get(try url($0))), .sent(method: .get, url: try url($0)),
        .failed(LoadError(.connection, "\(try url($0))")),
        .cacheFailed(Foreign(description: "\(try url($0))")),
        .retrying(attempt: 2, after: .zero, because: "\(try url($0))"),
      ] as [LoadEvent.Kind]
    },
    Holder("Response.StaleReason") {
      "\(Response.Source.stale(age: .zero, because: .failed(LoadError(.connection, "\(try url($0))"))))"
    },
  ]

  private static let clients: [Holder] =
    [
      Holder("ProxyServer", "ProxyServer.init(url:exceptions:)", "ProxyServer.url") {
        ProxyServer(url: try url($0))
      },
      Holder(
        "TLSOptions.ClientCertificate", "TLSOptions.ClientCertificate.init(pkcs12:passphrase:)",
        "TLSOptions.ClientCertificate.init(certificate:privateKey:passphrase:)"
      ) {
        [
          TLSOptions.ClientCertificate(pkcs12: Data($0.utf8), passphrase: $0),
          TLSOptions.ClientCertificate(
            certificate: .data(Data("a".utf8)), privateKey: .data(Data($0.utf8)), passphrase: $0),
        ]
      },
      Holder("TLSOptions.PEM", "TLSOptions.PEM.data(_:)") { TLSOptions.PEM.data(Data($0.utf8)) },
      Holder("TLSOptions", "TLSOptions.clientCertificate") {
        var tls = TLSOptions()
        tls.clientCertificate = .init(pkcs12: Data($0.utf8), passphrase: $0)
        return tls
      },
      Holder("Client.Configuration", "Client.Configuration.proxy", "Client.Configuration.tls") {
        var configuration = Client.Configuration(baseURL: try url($0))
        configuration.headers = ["X-Api-Key": $0]
        configuration.query = ["key": $0]
        configuration.parameters = ["api_key": $0]
        configuration.proxy = ProxyServer(url: try url($0))
        configuration.tls.clientCertificate = .init(pkcs12: Data($0.utf8), passphrase: $0)
        configuration.cookies = CookieJar([Cookie(name: "a", value: $0, domain: "example.org")])
        configuration.middleware = [BasicAuthentication(user: "ada", password: $0)]
        return configuration
      },
      Holder("Client") { secret in
        Client(baseURL: try url(secret)) { $0.headers = ["X-Api-Key": secret] }
      },
      Holder(
        "URLSessionTransport", "URLSessionTransport.init(configuration:)"
      ) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpAdditionalHeaders = ["Authorization": "Bearer \($0)"]
        return URLSessionTransport(configuration: configuration)
      },
    ] + curl

  #if Curl && os(Linux)
    private static let curl = [
      Holder(
        "CurlTransport", "CurlTransport.Configuration.proxy", "CurlTransport.Configuration.tls"
      ) {
        var configuration = CurlTransport.Configuration()
        configuration.proxy = ProxyServer(url: try url($0))
        configuration.tls.clientCertificate = .init(pkcs12: Data($0.utf8), passphrase: $0)
        return [configuration, CurlTransport(configuration)] as [Any]
      }
    ]
  #else
    private static let curl: [Holder] = []
  #endif

  private static let modules: [Holder] = [
    Holder("CacheGroup", "CacheGroup.init(_:of:)") { CacheGroup("token=\($0)", of: try url($0)) },
    Holder("CacheKey", "CacheKey.init(url:partition:content:)") { secret in
      let headers: Headers = [.authorization: "Bearer \(secret)"]
      return CacheKey(url: try url(secret), partition: CachePartition(headers: headers))
    },
    Holder(
      "CachePartition", "CachePartition.init(headers:sharedHeaders:secretNames:)",
      "CachePartition.init(owner:)",
      "CachePartition.name"
    ) {
      [CachePartition(headers: ["X-Api-Key": $0]), CachePartition(owner: $0)]
        .flatMap { [$0, $0.name] as [Any] }
    },
    Holder("CacheScope", "CacheScope.url(_:)") { CacheScope.url("\(try url($0))") },
    Holder(
      "StoredResponse",
      "StoredResponse.init(_:selectingHeaders:requestDate:responseDate:wasRedirected:)"
    ) {
      return StoredResponse(
        Response(url: try url($0), headers: [.vary: "X-Api-Key"], body: Data($0.utf8)),
        selectingHeaders: ["X-Api-Key": $0], requestDate: Date(), responseDate: Date())
    },
    Holder("OutboxWrite", "OutboxWrite.payload", "OutboxWrite.attach(_:)") {
      var write = OutboxWrite(.post(try url($0)), as: "a")
      try write.attach(Login(password: $0))
      return write
    },
    Holder("HTTPArchive", "HTTPArchive.init(_:comment:)", "HTTPArchive.Entry.comment") {
      try archive($0)
    },
    Holder("HTTPArchive.Entry") { try archive($0).entries },
    Holder("HTTPArchive.Request", "HTTPArchive.Request.init(_:url:headers:body:)") {
      try archive($0).entries.map(\.request)
    },
    Holder("HTTPArchive.Response", "HTTPArchive.Response.init(status:reason:headers:body:)") {
      try archive($0).entries.map(\.response)
    },
    Holder("HTTPArchive.Body", "HTTPArchive.Body.init(_:mediaType:)") {
      HTTPArchive.Body(Data($0.utf8), mediaType: "text/plain; token=\($0)")
    },
    Holder("HTTPArchive.Message", "HTTPArchive.Message.init(_:isSent:date:)") {
      HTTPArchive.Message(.text("token=\($0)"), isSent: true)
    },
    Holder("HTTPArchive.Failure", "HTTPArchive.Failure.init(_:_:)") {
      HTTPArchive.Failure(.connection, "no route to \(try url($0))")
    },
    Holder("HTTPArchive, redacted", "HTTPArchive.data()", "HTTPArchive.encode(to:)") {
      try String(decoding: archive($0).redacted().data(), as: UTF8.self)
    },
    Holder("RecordingRedaction", "RecordingRedaction.secrets") {
      var redaction = RecordingRedaction()
      redaction.secrets = [$0]
      return redaction
    },
    Holder("OTLPExporter", "OTLPExporter.init(_:service:_:)", "OTLPExporter.Configuration.headers")
    { secret in
      OTLPExporter(try url(secret), service: "a") { $0.headers = ["X-Api-Key": secret] }
    },
    Holder("OTLPExporter.Configuration") { secret in
      var shown: [Any] = []
      _ = OTLPExporter(try url(secret), service: "a") {
        $0.headers = ["X-Api-Key": secret]
        shown = [$0]
      }
      return shown
    },
    Holder("XMLError", "XMLTree.init(parsing:encoding:options:)") { secret in
      let text = "<a><password>\(secret)</password><b></a>"
      return [#expect(throws: XMLError.self) { try XMLTree(parsing: Data(text.utf8)) } as Any]
    },
    Holder("StubTransport", "StubTransport.requests") { secret in
      let stub = StubTransport()
      return [stub, stub.requests] as [Any]
    },
  ]

  private static func archive(_ secret: String) throws -> HTTPArchive {
    var entry = HTTPArchive.Entry(
      request: .init(
        "POST", url: "\(try url(secret))", headers: [.authorization: "Bearer \(secret)"],
        body: .init(Data("password=\(secret)".utf8), mediaType: "text/plain; token=\(secret)")),
      response: .init(
        status: 200, reason: "for token=\(secret)", headers: [.setCookie: "sid=\(secret)"],
        body: .init(Data("{\"token\": \"\(secret)\"}".utf8), mediaType: "application/json")))
    entry.comment = "token=\(secret)"
    entry.failure = .init(.connection, "token=\(secret)")
    entry.messages = [
      HTTPArchive.Message(.text(#"{"token": "\(secret)"}"#), isSent: true),
      HTTPArchive.Message(.binary(Data("token=\(secret)".utf8)), isSent: false),
    ]
    return HTTPArchive([entry], comment: "token=\(secret)")
  }
}

/// Values that are printed on their own.
struct ValueTests {
  @Test(arguments: Holder.all)
  func `a value that is printed or dumped doesn't show its secret`(_ holder: Holder) throws {
    let secret = Secret(holder.type)
    let outputs = Output.printed(holder.type, try holder.make(secret.text))

    for leak in secret.leaks(in: outputs) {
      Issue.record(Comment(rawValue: "\(holder.type), by itself: \(leak)"))
    }
  }

  @Test func `a harness that finds nothing would be noticed`() {
    let secret = Secret("seen", .awkward)
    let spellings = [secret.text, secret.text.uppercased()] + secret.encodings

    #expect(secret.leaks(in: [Output("clear", "a\(secret.text)b")]).count == 1)
    #expect(secret.leaks(in: [Output("part", "…\(secret.text.suffix(8))")]).count == 1)
    for spelling in secret.encodings {
      #expect(!secret.leaks(in: [Output("encoded", spelling)]).isEmpty)
    }
    #expect(secret.leaks(in: [Output("none", "\(spellings.count) spellings")]).isEmpty)
  }
}
