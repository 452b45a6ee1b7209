/// What the dense document is decoded into, by either decoder.
struct Table: Decodable {
  var row: [Row]

  struct Row: Decodable {
    var id: Int
    var on: Bool
    var a: Int
    var b: Flag
    var c: String
  }

  struct Flag: Decodable {
    var x: Int
  }
}
