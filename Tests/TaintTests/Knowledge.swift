/// What the harness knows of public symbols that carry text, besides those through which it plants.
///
/// A symbol that isn't known fails `CoverageTests`: plant a secret through it (`Plants.swift`,
/// `ValueTests.swift`), or say here why nothing needs to be searched.
enum Knowledge {
  /// Members of which the text is searched, or gets into what is searched.
  static let searched: [String: String] = [
    "LoadError": """
    advice errorDescription init(_:_:advice:underlying:) reason recoverySuggestion curlCommand serverMessage underlying
    """,
    "LoadError.Attempt": "outcome url",
    "LoadError.ParsingFailure": """
    expectedType init(path:expectedType:line:column:snippet:) path snippet
    """,
    "LoadError.ReceivedResponse": "body headers url",
    "ProblemDetails": "detail extensions init(_:) instance title type",
    "GraphQLError": "extensions message", "GraphQLError.PathSegment": "field(_:)",
    "LoadEvent.Kind":
      "cacheFailed(_:) failed(_:) retrying(attempt:after:because:) sent(method:url:)",
    "Inspector": "archive() html()",
    "LoggingMiddleware": "init(_:to:) standardError(_:)",
    "Request": "curlCommand upload(_:file:as:resuming:_:)",
    "TraceSpan": "name subscript(_:)", "TraceSpan.Attribute": "init(_:_:) name",
    "TraceSpan.Attribute.Value": "string(_:)", "TraceSpan.Status": "error(type:message:)",
    "SpanFile": "init(_:service:maximumSize:delay:)",
    "AsyncSequence": "partials(of:joining:decoder:maximumSize:isLast:)",
    "HTTPArchive": "comment write(to:)", "HTTPArchive.Entry": "encode(to:)",
    "HTTPArchive.Message": "encode(to:)",
    "HTTPArchive.Request": "encode(to:)", "HTTPArchive.Response": "encode(to:)",
    "HTTPArchive.Timings": "encode(to:)",
    "RecordingTransport": "init(to:over:redaction:limits:clock:)",
    "SQLiteStore": "init(file:settings:)",
    "HTTPCache": """
    init(_:before:maximumBodySize:sharedHeaders:owner:)
    init(_:maximumBodySize:sharedHeaders:owner:)
    """,
    "LivePages": "error", "LiveResource": "error", "LiveSelection": "error",
    "SyncedCollection": "error", "SyncedList": "error",
    "LiveState": "error init(value:error:isLoading:isStale:updated:progress:)",
    "Promise": """
    catch(on:_:) observe(on:_:) recover(from:on:_:) recover(on:_:)
    recoverWith(from:on:_:) recoverWith(on:_:) rejected(_:) reportingUnobserved(_:) result
    settled(_:)
    """,
    "Promise.Resolver": "reject(_:) resolve(_:)", "AggregateError": "errors",
    "RetryPolicy": """
    init(maximumAttempts:backoff:maximumTime:isRetryable:) isRetryable
    wait(after:failures:elapsed:using:)
    """,
    "Loader": """
    download(_:to:_:) elements(of:at:in:decoder:maximumElementSize:) load(_:on:callback:)
    prefetch(_:maximumConcurrency:)
    """,
    "URLSession": "load(_:parser:on:callback:)",
    "WebSocket.Event": "ended(_:)",
    "Resource": """
    upload(_:file:as:resuming:_:)
    download(_:to:_:) download(_:to:resuming:) elements(_:of:at:decoder:)
    graphQL(_:to:at:decoder:) init(json:at:decoder:) init(json:decoder:) json(_:as:at:decoder:)
    feed(_:) xml(_:as:at:decoder:)
    """,
  ]

  /// Properties of values that hold what was given to them, as it is: a request could not be sent
  /// otherwise. Each of the types is printed by `ValueTests` or `LoadTests`.
  static let real: [String: String] = [
    "BearerToken": "value", "CacheGroup": "name origin", "CacheKey": "content url",
    "Client.Configuration": "baseURL headers",
    "Cookie": "domain name path value", "CookieJar": "header(for:at:)",
    "CurlTransport": "identity(for:)",
    "Download": "file", "GraphQLOperation": "encode(to:) operationName query",
    "Headers": "subscript(_:) values(of:)", "Headers.Field": "==(_:_:) name value",
    "HTTPArchive.Body": "data mediaType", "HTTPArchive.Entry": "comment",
    "HTTPArchive.Message": "content",
    "HTTPArchive.Failure": "reason", "HTTPArchive.Request": "headers httpVersion method url",
    "HTTPArchive.Response": "headers httpVersion reason",
    "DownloadOptions": "mirrors",
    "Multipart": "boundary",
    "ObservedExchange": "baseURL headers secretNames url",
    "Multipart.Part": "filename headers name", "OutboxEntry": "payload target",
    "OutboxWrite": "payload publicNames", "OTLPExporter.Configuration": "headers",
    "Parameters": "encode(to:)", "ProxyServer": "exceptions url", "QueryItems": "encoded",
    "QueryItems.Item": "name value", "Request": "headers url",
    "Request.Body": "data(encoder:)", "RecordingRedaction": "publicNames secretNames secrets",
    "Response": "acceptedQueries body file headers link(_:) text() trailers url",
    "Response.Link": "relations subscript(_:) target", "Response.Link.Parameter": "name value",
    "ResponseHead": "headers",
    "ResponseStream": "elements(of:at:decoder:maximumElementSize:) headers url",
    "SampleResponse": "body headers",
    "StoredResponse": "selectingHeaders variant", "URLSessionTransport": "identity(for:)",
    "WebSocket.Connection": "headers subprotocol url",
    "WireBody": "data()",
    "WireBodyReader": "next(atMost:) next(atMost:whenReady:)", "WireRequest": "headers url",
    "WireRequest.Draft": "headers url", "WireRequest.Hop": "origin",
  ]

  /// Texts that are no place for a secret: names, types, versions, files and hosts that the program
  /// names itself.
  static let harmless: [String: String] = [
    "BrokenPromise": "fileID", "DownloadOptions.Digest": "sha256(_:) sha512(_:)",
    "DurableChange": "name",
    "ExchangeFollower": "ended(_:)", "ExchangeObserver": "begin(_:_:)",
    "CachePartition": "init(name:)", "Client.Configuration": "encoder inspect(with:as:)",
    "CurlTransport.AddressPolicy": "publicOnly(and:)",
    "CurlTransport.Configuration": "unixSocketPath",
    "Deadline.Format": "remaining(in:at:)", "DeadlineMiddleware": "init(_:as:)",
    "ErrorBody": """
    json(_:at:decoder:) xml(_:at:decoder:)
    """,
    "ExchangeMetrics": "httpVersion", "ExchangeMetrics.Peer": "address init(address:port:)",
    "HTTPArchive": "creator init(contentsOf:) init(data:)", "HTTPCache": "inspectedKind remove(_:)",
    "HTTPDate": "init(_:now:)", "Inspectable": "inspectedKind", "Inspector": "show(_:as:) start()",
    "Headers.Name": "==(_:_:) init(rawValue:) init(stringLiteral:) rawValue",
    "LiveResources": "follow(_:about:_:onEnd:) inspectedKind",
    "LoadEvent.CircuitState": "init(rawValue:)",
    "LoadEvent.Kind": "circuit(_:host:)",
    "LoadError.Kind": "init(rawValue:) rawValue", "LoadEvent.Trace": "spanID traceID",
    "MediaType": "essence init(stringLiteral:) parameter(_:) rawValue",
    "Multipart.Part": "file(_:_:filename:as:)",
    "OTLPExporter.Configuration": "resource",
    "OutboxKey": "init(rawValue:) init(stringLiteral:) rawValue",
    "OutboxPlaceholder": "encode(to:)", "OutboxValueSource": "json(_:)",
    "Pagination": """
    cursor(_:_:) link(_:) offset(_:from:) offset(_:from:count:) page(_:from:)
    page(_:from:while:)
    """,
    "Parameters.Style.Bytes": "custom(_:)", "Parameters.Style.Dates": "custom(_:)",
    "Recording": """
    file identity(for:) init(_:mode:over:matching:order:redaction:limits:relativeTo:)
    """,
    "Recording.Mode": "init(rawValue:)", "RecordingTransport": "identity(for:)",
    "Request.Body": "file(_:as:)", "Request.Destination": "file(_:_:)",
    "Request.Options": "crossOriginHeaders", "SpanTracer": "begin(_:_:)",
    "JSONWriter": "encode(_:) encode(_:configuration:) encoder init(_:isCanonical:)",
    "RequestMatcher": "headers(_:) init(_:)", "RequestMethod": "init(rawValue:) rawValue",
    "ResponseLease": "granted(token:)",
    "ResponseStorage": """
    endLease(_:for:variant:_:) lease(for:variant:) sqlite(_:maximumSize:)
    valkey(_:maximumResponseSize:)
    """,
    "SharedRateLimitMiddleware": "init(_:per:of:named:on:)",
    "ValkeyResponseStorage": "endLease(_:for:variant:_:) lease(for:variant:)",
    "SQLiteStrictTransportStorage": "init(file:list:) init(in:list:)",
    "Status": "reason", "StrictTransportSecurity": "note(_:from:at:) upgraded(_:at:)",
    "StrictTransportSecurity.Entry": """
    host init(host:includesSubdomains:expiration:)
    """,
    "ServerID": "encode(to:) init(_:) init(stringLiteral:)",
    "SyncOptions": "references",
    "SyncPage": "cursor init(rows:removed:next:cursor:) next",
    "SyncPosition": "cursor page", "SyncVersion": "eTag(_:)",
    "TLSOptions.PEM": "file(_:)",
    "TLSOptions.PublicKeyPins": "init(_:backup:others:expiration:) keys",
    "TracePropagation": "and(_:)", "UploadDigest": "init(rawValue:)",
    "URLSessionTransport": "init(configuration:tls:proxy:) init(session:)",
    "WebSocket.Connection": "close(_:reason:) send(json:)",
    "WebSocket.Options": "subprotocols",
    "WireBody.Segment": "file(_:_:)",
  ]

  /// Types that show what they hold, with the reason; all of their members.
  static let clear: [String: String] = [
    // Documents, which a program loads in order to read them.
    "Feed": document, "Feed.Enclosure": document, "Feed.Item": document,
    "Feed.ItemIdentity": document, "Feed.Link": document, "Feed.Person": document,
    "Feed.Text": document, "GraphQLResponse": document, "JSONReader": document,
    "JSONElements": document, "JSONNumber": document, "JSONPartials": document,
    "JSONValue": document, "ServerSentEvent": document, "ServerTiming": document,
    "XMLDecoder": document, "XMLDecoder.DataDecodingStrategy": document,
    "XMLDecoder.DateDecodingStrategy": document, "XMLDecoder.KeyDecodingStrategy": document,
    "XMLEvent": document, "XMLEvent.Attribute": document, "XMLEvent.Declaration": document,
    "XMLEvent.DocumentType": document, "XMLEvent.Notation": document,
    "XMLEventParser": document, "XMLName": document, "XMLTree": document,
    "XMLTree.Content": document, "XMLTree.Element": document,
    "ResponseStream.Iterator": document, "ResponseStream.Lines.Iterator": document,
    "WebSocket.Closure": document, "WebSocket.Message": document,
    // The program's own rows, and the names of its tables and columns.
    "Column": row, "ModelKey": row, "StoredModel": row, "SQLiteError": row, "Outbox": row,
    // What a test's own server sends and receives.
    "HTTPArchive.RandomText": test, "LoopbackError": test, "LoopbackRoute": test,
    "LoopbackServer": test, "ReceivedRequest": test, "ReceivedRequest.Header": test,
    "LoopbackSocket": test,
    "Script": test, "SimulatedNetwork": test, "StubAnswer": test, "StubLoader": test,
    "StubSocket": test, "StubSocket.Step": test,
    "StubTransport": test, "UnservedPort": test, "WaitTimeout": test,
    // Goes to other services as it is, by its standard; identifiers of traces are random.
    "Baggage": trace, "Baggage.Member": trace, "SpanID": trace, "TraceContext": trace,
    "TraceContext.Flags": trace, "TraceID": trace, "TraceState": trace,
    "TraceState.Member": trace,
    // The text of a path is the real one, as `Security.md` says; a request that has it is searched.
    "RequestPath": "the text of a path is the real one",
    "RequestPath.Interpolation": "the text of a path is the real one",
    // An error that the program makes itself says what the program says.
    "JSONPosition": own, "JSONSyntaxError": own, "XMLError": own, "XMLError.Kind": own,
    // The seam to an engine.
    "UploadStrategy": upload, "UploadReport": upload, "UploadState": upload,
    "SessionUploads": upload, "TusUploads": upload, "ResumableUploads": upload,
    "UploadResumption": "the name of a strategy, which the program chooses",
    "UploadOptions": "the names of metadata are shown, their values aren't",
    "Exchange": seam, "ExchangeReceiver": seam, "Transport": seam,
    "LiveTag": "a name of the program's own",
    // The harness is built without the trait, so the module's own tests look for secrets.
    "ValkeyAddress": "where the program's own server is",
    "ValkeySettings": "its own tests print it",
  ]

  private static let document = "a document that the program asked for"
  private static let row = "data of the program's own database"
  private static let test = "a test's own server, and what it was sent"
  private static let trace = "is sent to other services as it is"
  private static let own = "says what the program, or the reader that made it, says"
  private static let upload = "the seam between the library and a protocol; the URL isn't shown"
  private static let seam = "the seam between the library and an engine"

  /// Where a secret stands in clear, and why it has to.
  static let exceptions: [(place: String, reason: String)] = [
    ("the body of a request in the outbox's database", "the write can't be sent without it"),
    (
      "the target and the headers of a request in the outbox's database, but those of credentials",
      "the write can't be sent without them"
    ), ("a payload in the outbox's database", "the program attached it to read it again"),
    ("the body of a response in the cache's database", "the program asked to keep it"),
    (
      "headers that the cache takes for harmless by their names, in its database",
      "responses are chosen by them"
    ), ("a body in a file that was downloaded", "the program asked for the file"),
    ("the properties of requests and responses", "the program needs the real ones"),
    ("an error of the program's own below a `LoadError`", "it says what the program says"),
    ("a recording, under names that only a request calls secret", "a transport isn't told them"),
    ("a response by itself that repeats a secret without a name", "it doesn't know what was sent"),
  ]
}
