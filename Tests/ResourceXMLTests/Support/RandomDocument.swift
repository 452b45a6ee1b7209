/// A random document with every kind of content in any order.
struct RandomDocument {
  private var random: SmallGenerator
  private(set) var text = ""
  /// How many more elements may follow, so that documents stay small.
  private var budget: Int

  init(seed: UInt64, size: Int = 40) {
    random = SmallGenerator(seed: seed)
    budget = size
    prolog()
    element(depth: 0, prefixes: ["", "xml:"])
    if chance(4) { text += "\n<!-- end --><?end?>\n" }
  }

  /// Text with a unique mark in each run, so that swapped runs are noticed.
  private var mark = 0
}

extension RandomDocument {
  private mutating func chance(_ count: Int) -> Bool {
    Int.random(in: 0..<count, using: &random) == 0
  }

  private mutating func one(of choices: [String]) -> String {
    choices[Int.random(in: 0..<choices.count, using: &random)]
  }

  private mutating func prolog() {
    if chance(3) { text += "<?xml version='1.0' encoding='UTF-8'?>\(one(of: ["", "\n", "\r\n"]))" }
    text += """
      <!DOCTYPE a [<!ENTITY e 'in é'><!ENTITY m 'p<b k="v">q</b> '><!ENTITY n ''>
      <!ATTLIST d x CDATA 'default' xml:space (preserve|default) 'preserve'>]>\n
      """
    if chance(3) { text += "<!-- before -->" }
  }

  private mutating func element(depth: Int, prefixes: [String]) {
    budget -= 1
    var prefixes = prefixes
    var attributes: [String] = []
    if chance(5) {
      attributes.append("xmlns:p='u\(Int.random(in: 0..<3, using: &random))'")
      prefixes.append("p:")
    }
    if chance(8) { attributes.append("xmlns='d'") }
    for name in ["x", "y", "long-name.of_it", "xml:lang", prefixes.contains("p:") ? "p:x" : "z"]
    where chance(3) {
      attributes.append("\(name)=\(value())")
    }
    let name =
      one(of: prefixes.filter { $0 != "xml:" }) + one(of: ["a", "b", "c", "d", "long-name"])
    text += "<\(name)\(attributes.map { one(of: [" ", "\n", " \t"]) + $0 }.joined())"
    if chance(4) {
      text += one(of: ["/>", " />"])
    } else {
      text += ">"
      content(depth: depth + 1, prefixes: prefixes)
      text += "</\(name)\(one(of: ["", "", " "]))>"
    }
  }

  private mutating func value() -> String {
    mark += 1
    let inner = one(of: [
      "", "v\(mark)", "&lt;\(mark)&e;", " a\n\(mark) ", "é&#x1F600;\(mark)", "&n;",
    ])
    return chance(2) ? "'\(inner)'" : "\"\(inner)\""
  }

  private mutating func content(depth: Int, prefixes: [String]) {
    for _ in 0..<Int.random(in: 0..<6, using: &random) {
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<4 where budget > 0 && depth < 12: element(depth: depth, prefixes: prefixes)
      case 4: text += one(of: [" ", "\n  ", "\r\n", "\r", "\t"])
      case 5: text += one(of: ["<!-- c -->", "<?p d?>", "<![CDATA[]]>", "&n;"])
      case 6: text += "<![CDATA[\(one(of: [" ", "<i>", "]] ", "&amp;"]))\(marked())]]>"
      case 7: text += one(of: ["&lt;", "&e;", "&m;", "&#65;", "&#13;", "&amp;"])
      default: text += marked()
      }
    }
  }

  private mutating func marked() -> String {
    mark += 1
    return one(of: ["t\(mark)", " t\(mark)", "\nt\(mark)\n", "東\(mark) é", "t\(mark)\r\nu"])
  }
}
