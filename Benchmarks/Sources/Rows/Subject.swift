/// Who does the work of a row.
public struct Subject: RawRepresentable, Hashable, Sendable {
  public let rawValue: String

  public init(rawValue: String) {
    self.rawValue = rawValue
  }
}

extension Subject {
  public static let ours = Subject(rawValue: "ours")
  public static let nio = Subject(rawValue: "NIO")
  public static let task = Subject(rawValue: "Task")
  public static let continuation = Subject(rawValue: "continuation")
  /// A checked continuation inside a task cancellation handler.
  public static let cancellable = Subject(rawValue: "cancellable-continuation")
  public static let dispatch = Subject(rawValue: "Dispatch")
  public static let semaphores = Subject(rawValue: "two-semaphores")
  /// `dataTask` and `JSONDecoder`, as one writes them by hand.
  public static let handwritten = Subject(rawValue: "handwritten")
  /// A client over libcurl.
  public static let curlClient = Subject(rawValue: "Client-curl")
  /// A client over a URLSession of its own.
  public static let sessionClient = Subject(rawValue: "Client-URLSession")
  /// `URLSession.load`.
  public static let sessionLoad = Subject(rawValue: "URLSession.load")
  /// `dataTask` of a URLSession without a cache.
  public static let dataTask = Subject(rawValue: "dataTask")
  /// `dataTask` of `URLSession.shared`.
  public static let shared = Subject(rawValue: "URLSession.shared")
  public static let asyncHTTPClient = Subject(rawValue: "AsyncHTTPClient")
  /// libcurl's multi interface, driven by a program in C.
  public static let curlMulti = Subject(rawValue: "libcurl")
  /// The program `wrk`, which makes load.
  public static let wrk = Subject(rawValue: "wrk")
  /// A loop of `send` and `recv`.
  public static let sendAndReceive = Subject(rawValue: "send-recv")
  public static let curlProgram = Subject(rawValue: "curl-program")
  /// The same small loads with nothing beside them.
  public static let alone = Subject(rawValue: "alone")
  /// Loads whose documents are parsed in the completion handler.
  public static let inHandler = Subject(rawValue: "parsed-in-handler")
  /// `JSONDecoder` of Foundation.
  public static let jsonDecoder = Subject(rawValue: "JSONDecoder")
  /// `JSONEncoder` of Foundation.
  public static let jsonEncoder = Subject(rawValue: "JSONEncoder")
  public static let foundationXML = Subject(rawValue: "XMLParser")
  /// `XMLDocument` of FoundationXML.
  public static let foundationTree = Subject(rawValue: "XMLDocument")
  public static let xmlCoder = Subject(rawValue: "XMLCoder")
  /// GRDB's `Codable` records.
  public static let grdb = Subject(rawValue: "GRDB")
  /// The store's `upsert` of the same rows.
  public static let plainUpsert = Subject(rawValue: "upsert")
  /// SQLite's C interface, as one writes it by hand.
  public static let sqlite = Subject(rawValue: "SQLite")
  /// Ours again, as much in all, in a document of a megabyte.
  public static let sameInSmall = Subject(rawValue: "ours-at-1MB")
  /// Ours again, of the same document in one piece.
  public static let inOnePiece = Subject(rawValue: "ours-in-one-piece")
  /// Ours again, of whole documents.
  public static let wholeDocument = Subject(rawValue: "ours-of-whole-documents")
  /// A load over the network.
  public static let network = Subject(rawValue: "network")
  /// Ours again, among 1,000 of them.
  public static let amongFew = Subject(rawValue: "ours-among-1000")
  /// What would be good enough.
  public static let allowed = Subject(rawValue: "allowed")
  /// The bytes of the document itself.
  public static let document = Subject(rawValue: "document")
}

extension Subject {
  /// All but ours, in the order of the table.
  public static let rivals = [
    nio, task, continuation, cancellable, dispatch, semaphores, handwritten,
    sessionLoad, dataTask, shared, asyncHTTPClient, curlMulti, sendAndReceive, curlProgram, alone,
    inHandler,
    jsonDecoder, jsonEncoder, foundationXML, foundationTree, xmlCoder, grdb, plainUpsert, sqlite,
    sameInSmall,
    inOnePiece, wholeDocument, amongFew, document, network, allowed,
  ]
}
