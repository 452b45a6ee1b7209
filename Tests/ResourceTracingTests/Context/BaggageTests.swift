import ResourceLoading
import ResourceTesting
import ResourceTracing
import Testing

/// The values that a program sends with a trace.
struct BaggageTests {
  @Test func `the recommendation's examples are read`() {
    let baggage = Baggage(
      "key1=value1;property1;property2, key2 = value2, key3=value3; propertyKey=propertyValue")

    #expect(baggage.members.map(\.name) == ["key1", "key2", "key3"])
    #expect(baggage.members.map(\.value) == ["value1", "value2", "value3"])
    #expect(baggage.members[0].properties == ["property1", "property2"])
    #expect(baggage.members[2].properties == ["propertyKey=propertyValue"])
    #expect(Baggage("serverNode=DF%2028,isProduction=false")["serverNode"] == "DF 28")
    #expect(Baggage(headers: [.baggage: "a=1", .baggage: "b=2"]).headerValue == "a=1,b=2")
  }

  @Test func `invalid members are ignored`() {
    let baggage = Baggage(#"a=1,b,=2,c d=3,e="4",f=5;,g=6;x y,h=\,,a=7,i=ä,j=a=b"#)

    #expect(baggage.headerValue == "a=7,f=5,g=6,j=a=b")
    #expect(Baggage("a=%FF%zz%-0%+1%4")["a"] == "\u{FFFD}%zz%-0%+1%4")
  }

  @Test func `a written header is read back unchanged`() {
    var random = SeededGenerator(seed: 25)
    for _ in 0..<200 {
      let value = String(
        String.UnicodeScalarView(
          (0..<8).compactMap { _ in Unicode.Scalar(UInt32.random(in: 1...0x2FF, using: &random)) }))
      let baggage: Baggage = ["key": value, "other": "%"]

      #expect(Baggage(baggage.headerValue ?? "") == baggage)
    }
  }

  @Test func `180 members and 8192 bytes are kept`() {
    let many = Baggage((0..<200).map { "k\($0)=v" }.joined(separator: ","))
    var long = Baggage()
    for number in 0..<10 { long["k\(number)"] = String(repeating: "v", count: 1000) }

    #expect(many.members.count == Baggage.maximumCount)
    #expect(long.members.count == 10)
    #expect(long.headerValue.map { $0.utf8.count <= 8192 } == true)
    #expect(Baggage(long.headerValue ?? "").members.count == 8)
    #expect(Baggage("a=" + String(repeating: "v", count: 9000)).isEmpty)
  }

  @Test func `a member is set, replaced and removed, and a name that isn't a token is refused`() {
    var baggage: Baggage = ["a": "1", "a": "2"]
    baggage["b"] = "3"
    baggage["a b"] = "4"
    #expect(baggage.headerValue == "a=2,b=3")

    baggage["a"] = nil
    #expect(baggage.headerValue == "b=3")
  }
}
