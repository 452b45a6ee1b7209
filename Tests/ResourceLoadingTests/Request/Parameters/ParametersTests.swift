import Foundation
import TestSupport
import Testing

@testable import ResourceLoading

@Suite(.inTurn)
struct ParametersTests {
  private func text(
    _ parameters: Parameters, _ change: (inout Parameters.Style) -> Void = { _ in }
  ) throws -> String {
    var style = Parameters.Style()
    change(&style)
    let plain = QueryItems(parameters, style: style).encoded
    return try #require(plain.removingPercentEncoding)
  }

  @Test func `a literal keeps its order and takes variables`() throws {
    let page: Int? = 2
    let none: String? = nil
    let word = "x"

    let text = try text([
      "q": "jeopardize", "page": page, "none": none, "nil": nil, "tags": ["a", "b"], "word": word,
      "filter": ["state": "open", "limit": 3, "who": ["me", 1] as Parameters] as Parameters,
      "half": 0.5, "done": true, "q": "again",
    ])

    #expect(
      text == "q=jeopardize&page=2&tags=a&tags=b&word=x&filter[state]=open&filter[limit]=3"
        + "&filter[who]=me&filter[who]=1&half=0.5&done=true&q=again")
  }

  @Test func `a dictionary is sorted by name, also a nested one`() throws {
    let dictionary = ["b": ["z": 1, "y": 2], "a": ["x": 3], "c": [:]]

    #expect(try text(Parameters(encoding: dictionary)) == "a[x]=3&b[y]=2&b[z]=1")
  }

  @Test func `a dictionary by number is sorted by name, too`() throws {
    let dictionary = ["of": [5: "a", 1: "b", 3: "c", 12: "d", 2: "e", 4: "f"]]

    #expect(
      try text(Parameters(encoding: dictionary))
        == "of[1]=b&of[12]=d&of[2]=e&of[3]=c&of[4]=f&of[5]=a")
  }

  private struct Search: Encodable {
    enum Order: String, Encodable { case newest = "new" }
    struct Range: Encodable {
      var low = 1
      var high: Int?
    }
    var zebra = "z"
    var order = Order.newest
    var range = Range()
    var ids: [UInt8] = [3, 1]
    var missing: String?
    var url = URL(string: "http://h/?a=b")
    var apple: Float = 0.1
    var big = UInt64.max
    var small = Int64.min
    var price = Decimal(string: "12.30")
    var key = UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")
    var letter = "é"
  }

  @Test func `a type is encoded in the order of its properties`() throws {
    #expect(
      try text(Parameters(encoding: Search()))
        == "zebra=z&order=new&range[low]=1&ids=3&ids=1&url=http://h/?a=b&apple=0.1"
        + "&big=18446744073709551615&small=-9223372036854775808&price=12.3"
        + "&key=E621E1F8-C36C-495A-93FC-0C247A3E6E5F&letter=é")
  }

  @Test(arguments: [
    (Parameters.Style.Arrays.repeated, "t=a&t=b,c&o[0][x]=1&o[1][x]=2&n[0]=1&n[0]=2&n[1]=3"),
    (.brackets, "t[]=a&t[]=b,c&o[][x]=1&o[][x]=2&n[][]=1&n[][]=2&n[][]=3"),
    (.indices, "t[0]=a&t[1]=b,c&o[0][x]=1&o[1][x]=2&n[0][0]=1&n[0][1]=2&n[1][0]=3"),
    (.commas, "t=a,b,c&o[0][x]=1&o[1][x]=2&n[0]=1,2&n[1]=3"),
  ])
  func `arrays follow the style`(
    _ arrays: Parameters.Style.Arrays, _ expected: String
  ) throws {
    let parameters: Parameters = [
      "t": ["a", "b,c"], "o": [["x": 1], ["x": 2]], "e": [] as [Int], "n": [[1, 2], [3]],
    ]

    #expect(try text(parameters) { $0.arrays = arrays } == expected)
  }

  @Test func `a comma in an element differs from a separator`() {
    var style = Parameters.Style()
    style.arrays = .commas

    #expect(QueryItems(["t": ["a b", "c,d"]], style: style).encoded == "t=a%20b,c%2Cd")
  }

  @Test func `nesting, booleans and nil follow the style`() throws {
    let parameters: Parameters = ["a": ["b": ["c": true]], "d": nil, "e": [nil, "x"] as [String?]]

    #expect(try text(parameters) == "a[b][c]=true&e=x")
    let other = try text(parameters) {
      ($0.nesting, $0.booleans, $0.nils) = (.dots, .digits, .empty)
    }
    #expect(other == "a.b.c=1&d=&e=&e=x")
  }

  @Test(arguments: [
    (Parameters.Style.Dates.iso8601, "1994-11-06T08:49:37Z"), (.secondsSince1970, "784111777.5"),
    (.millisecondsSince1970, "784111777500"),
    (.custom { "\($0.timeIntervalSince1970 / 2)" }, "392055888.75"),
  ])
  func `dates follow the style`(
    _ dates: Parameters.Style.Dates, _ expected: String
  ) throws {
    let date = Date(timeIntervalSince1970: 784_111_777.5)

    #expect(
      try text(["d": date, "l": [date]]) { $0.dates = dates } == "d=\(expected)&l=\(expected)")
  }

  @Test func `whole seconds have no fraction`() throws {
    let date = Date(timeIntervalSince1970: -5)

    #expect(try text(["d": date]) { $0.dates = .secondsSince1970 } == "d=-5")
  }

  @Test func `bytes follow the style`() throws {
    let data = Data([0, 255])

    #expect(try text(["d": data]) == "d=AP8=")
    #expect(try text(["d": data]) { $0.data = .custom { "\($0.count)" } } == "d=2")
  }

  @Test func `a value that can't be encoded fails the load, and the error has its path`() throws {
    struct Broken: Encodable {
      var list = [1.0, .nan]
    }
    let requests = [
      Request.get("p").query(encoding: ["a": Broken()]),
      Request.post("p").form(encoding: ["a": Broken()]),
    ]

    for request in requests {
      #expect(try refusal(request)?.contains("a.list[1]") == true)
    }
    #expect(try refusal(.get("p").query(encoding: 7))?.contains("without a name") == true)
    #expect(try refusal(.get("p").query(["d": Date.distantFuture + 1e30])) != nil)
    #expect(try refusal(.get("p").query(["d": Date(timeIntervalSince1970: .nan)])) != nil)
    #expect(try refusal(.get("p").query(["a": ["b": Double.infinity]])) != nil)
  }

  @Test func `infinite nesting is refused`() throws {
    struct Endless: Encodable {
      var next: [Endless] { [self] }
      enum CodingKeys: CodingKey { case next }
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(next, forKey: .next)
      }
    }

    #expect(try refusal(.get("p").query(encoding: Endless()))?.contains("100 levels") == true)
  }

  @Test func `nested containers and super encoders keep their positions`() throws {
    struct Odd: Encodable {
      enum Key: CodingKey { case a, b, c }
      func encode(to encoder: any Encoder) throws {
        var keyed = encoder.container(keyedBy: Key.self)
        var nested = keyed.nestedContainer(keyedBy: Key.self, forKey: .b)
        try nested.encode(1, forKey: .a)
        try nested.encodeNil(forKey: .b)
        var list = keyed.nestedUnkeyedContainer(forKey: .a)
        try list.encode("x")
        var inner = list.nestedContainer(keyedBy: Key.self)
        try inner.encode(2, forKey: .c)
        var innermost = list.nestedUnkeyedContainer()
        try innermost.encode(3)
        try ["y": 4].encode(to: keyed.superEncoder())
        try 5.encode(to: keyed.superEncoder(forKey: .c))
        try 6.encode(to: list.superEncoder())
      }
    }

    let text = try text(Parameters(encoding: Odd())) { $0.arrays = .indices }

    #expect(text == "b[a]=1&a[0]=x&a[1][c]=2&a[2][0]=3&a[3]=6&super[y]=4&c=5")
  }

  @Test func `a member that is encoded again keeps its position`() throws {
    struct Twice: Encodable {
      enum Key: CodingKey { case a, b }
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(1, forKey: .a)
        try container.encode([2], forKey: .b)
        var again = encoder.container(keyedBy: Key.self)
        try again.encode(3, forKey: .a)
      }
    }

    #expect(try text(Parameters(encoding: Twice())) == "a=3&b=2")
  }

  @Test func `many values are encoded one after another`() throws {
    let numbers = Array(0..<20_000)
    let names = Dictionary(uniqueKeysWithValues: numbers.map { ("n\($0)", $0) })

    #expect(QueryItems(Parameters(encoding: ["l": numbers]), style: .init()).items.count == 20_000)
    #expect(QueryItems(Parameters(encoding: names), style: .init()).items.count == 20_000)
  }

  @Test func `other encoders can encode parameters`() throws {
    let one: Parameters = [
      "a": 1, "b": ["x": [true, nil] as Parameters], "c": UInt64.max, "d": 0.5,
    ]
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys

    let json = String(decoding: try encoder.encode(one), as: UTF8.self)

    #expect(json == #"{"a":1,"b":{"x":[true,null]},"c":18446744073709551615,"d":0.5}"#)
    #expect(Set([one, one, ["a": 1]]).count == 2)
  }

  @Test func `a decimal keeps its digits in JSON`() throws {
    let price = try #require(Decimal(string: "12345678901234567890.12"))
    let body = Request.Body.json(["a": price, "b": 2.0, "c": 1e-7, "d": Float(0.1)] as Parameters)

    let text = String(decoding: try body.data(), as: UTF8.self)

    #expect(text == #"{"a":12345678901234567890.12,"b":2,"c":1e-07,"d":0.1}"#)
  }

  private func refusal(_ request: Request) throws -> String? {
    let base = try #require(URL(string: "http://h"))
    var request = request
    if case .path(let path) = request.address {
      request.address = .url(base.appending(path: path.encoded))
    }
    let error = #expect(throws: LoadError.self) { try WireRequest(request) }
    #expect(error?.kind == .invalidRequest)
    return error?.reason
  }
}
