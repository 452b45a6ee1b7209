import Foundation
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

@Suite(.inTurn, .timeLimit(.minutes(10)))
struct CURLCommandTests {
  @Test(arguments: [
    (
      Request.Body.json(["n": "it's"]), "--data-raw '{\"n\":\"it'\\''s\"}'"
    ),
    (
      .json(["user": ["password": ["x", "y"]]]),
      "--data-raw '{\"user\":{\"password\":\"<redacted>\"}}'"
    ),
    (
      .json([["token": ["a": [1, 2]]], ["z": [1]]] as Parameters),
      "--data-raw '[{\"token\":\"<redacted>\"},{\"z\":[1]}]'"
    ),
    (
      .form(["q": "a b", "user": ["api_key": "x"], "access_token": "y"]),
      "--data-raw 'q=a+b&user%5Bapi_key%5D=<redacted>&access_token=<redacted>'"
    ),
    (
      .data(
        Data(#"{ "p\u0061ssword" : "x" , "b": 1 }"#.utf8), as: "application/x+json; charset=utf-8"),
      "--data-raw '{ \"p\\u0061ssword\" : \"<redacted>\" , \"b\": 1 }'"
    ),
    (.data(Data("{\"token\": tru".utf8), as: .json), "--data-binary '<13 bytes>'"),
    (.data(Data([0xFF, 0xFE]), as: .json), "--data-binary '<2 bytes>'"),
    (.data(Data("{'token': 'x'}".utf8), as: .json), "--data-binary '<14 bytes>'"),
    (.text("password=x"), "--data-binary '<10 bytes>'"),
    (.json([Double.nan]), "--data-binary '<what can'\\''t be encoded>'"),
    (
      .data(Data("[\(String(repeating: "1,", count: 3000))1]".utf8), as: .json),
      "--data-binary '<6003 bytes>'"
    ),
    (.file(URL(filePath: "/photos/it's 1.jpg")), "--data-binary '@/photos/it'\\''s 1.jpg'"),
  ])
  func `a body is shown without its secrets`(_ body: Request.Body, _ expected: String) throws {
    let command = Request.post("p").body(body).curlCommand

    #expect(
      command
        == "curl -X 'POST' -H 'Content-Type: \((body.mediaType ?? .data).rawValue)' \(expected) 'p'"
    )
  }

  @Test func `parts are shown as cURL's own`() {
    let multipart: Multipart = [
      .field("title", "@Sun;rise"), .field("password", "x"),
      .field("long", String(repeating: "x", count: 5000)),
      .file("photo", URL(filePath: "/p/a \"b\".jpg"), as: "image/jpeg"),
      .data("raw", Data([1, 2, 3]), filename: "r.bin"), .json("meta", ["secret": 1]),
      .file("gone", URL(filePath: "/nowhere-at-all"), filename: "g"),
    ]

    let command = Request.post("p").multipart(multipart).curlCommand

    #expect(
      command == """
        curl -X 'POST' --form-string 'title=@Sun;rise' --form-string 'password=<redacted>' \
        --form-string 'long=<5000 bytes>' \
        -F 'photo=@"/p/a \\"b\\".jpg";filename="a \\"b\\".jpg";type=image/jpeg' \
        -F 'raw=@<3 bytes>;filename="r.bin";type=application/octet-stream' \
        -F 'meta="{\\"secret\\":\\"<redacted>\\"}";type=application/json' \
        -F 'gone=@"/nowhere-at-all";filename="g";type=application/octet-stream' 'p'
        """)
  }

  @Test func `a part with a name that the caller calls secret isn't shown`() {
    var request = Request.post("/").multipart([.field("tenant", "Ada"), .field("a", "b")])
    request.options.secretNames = ["Tenant"]

    #expect(request.curlCommand.contains("'tenant=<redacted>'"), "\(request.curlCommand)")
    #expect(request.curlCommand.contains("'a=b'"))
  }

  @Test func `a secret of the headers isn't shown in the body either`() {
    let request = Request.post("p").header(.authorization, "Bearer s3cr3t-token")
      .json(["note": "my s3cr3t-token"])

    #expect(!request.curlCommand.contains("s3cr3t-token"))
  }

  @Test func `a dry run shows the body that would be sent`() async throws {
    struct Note: Encodable { var createdBy = "me" }
    let client = Client(baseURL: URL(string: "http://h.example")) {
      $0.encoder.keyEncodingStrategy = .convertToSnakeCase
    }

    let json = try await client.dryRun(Resource.void(.post("a").json(Note())))
    let parts = try await client.dryRun(Resource.void(.post("a").multipart([.field("b", "c")])))

    #expect(json.description.contains(#"--data-raw '{"created_by":"me"}'"#))
    #expect(parts.description.hasPrefix("curl -X 'POST' --form-string 'b=c' 'http://h.example/a'"))
  }
}
