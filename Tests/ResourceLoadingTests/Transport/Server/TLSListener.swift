#if Curl && os(Linux)
  import Foundation
  import Glibc
  import ResourceLoading
  import TestSupport

  /// The certificate of a server, and what it negotiates.
  struct TLSIdentity: Sendable {
    var certificate: String
    var key: String
    var version: Version
    var speaksHTTP2: Bool
    /// The file of the authority whose certificate each client has to show; `nil` for none.
    var clientAuthority: String?

    enum Version: Int, CaseIterable, Sendable {
      case tls12 = 0x0303
      case tls13 = 0x0304
    }

    init(
      _ authority: TLSAuthority, _ name: String, _ version: Version = .tls13,
      speaksHTTP2: Bool = false
    ) {
      certificate = authority.file("\(name).pem").path
      key = authority.file("\(name).key").path
      self.version = version
      self.speaksHTTP2 = speaksHTTP2
    }

    /// Returns a context, or `nil` if the files can't be read.
    func makeContext(_ library: OpenSSL) -> OpenSSL.Pointer? {
      guard let context = library.newContext(library.serverMethod()) else { return nil }
      let (setMinimum, setMaximum, pem): (Int32, Int32, Int32) = (123, 124, 1)
      guard library.control(context, setMinimum, version.rawValue, nil) == 1,
        library.control(context, setMaximum, version.rawValue, nil) == 1,
        library.useCertificate(context, certificate) == 1,
        library.useKey(context, key, pem) == 1
      else {
        library.freeContext(context)
        return nil
      }
      if let clientAuthority {
        let (peer, failIfMissing): (Int32, Int32) = (1, 2)
        _ = library.trust(context, clientAuthority, nil)
        library.verify(context, peer | failIfMissing, nil)
      }
      if speaksHTTP2 { library.selectProtocol(context, selectHTTP2, nil) }
      return context
    }
  }

  /// Chooses `h2` among the names that a client offers.
  private func selectHTTP2(
    _: OpenSSL.Pointer?, _ name: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
    _ length: OpenSSL.Bytes?, _ names: UnsafePointer<UInt8>?, _ count: UInt32,
    _: UnsafeMutableRawPointer?
  ) -> Int32 {
    let notOffered: Int32 = 3
    guard let names else { return notOffered }
    var offset = 0
    while offset < Int(count) {
      let size = Int(names[offset])
      let offer = UnsafeBufferPointer(start: names + offset + 1, count: size)
      if offer.elementsEqual("h2".utf8) {
        name?.pointee = names + offset + 1
        length?.pointee = names[offset]
        return 0
      }
      offset += size + 1
    }
    return notOffered
  }

  /// A local server that passes each connection to a closure on its own thread.
  final class ConnectionListener: Sendable {
    let port: Int
    private let listener: Int32

    /// - Parameter serve: Gets each connection with its number, from 1. The connection is closed
    ///   after it returns, unless it keeps a reference.
    init(_ serve: @escaping @Sendable (ServerSocket, Int) -> Void) throws {
      let local = try LocalSocket()
      (listener, port) = (local.descriptor, local.port)
      Thread.detachNewThread { [listener] in
        var number = 0
        while case let socket = accept(listener, nil, nil), socket >= 0 {
          number += 1
          var isOn: Int32 = 1
          setsockopt(
            socket, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
          Thread.detachNewThread { [number] in serve(ServerSocket(socket), number) }
        }
        close(listener)
      }
    }

    func stop() { shutdown(listener, Int32(SHUT_RDWR)) }
  }

  extension ByteChannel {
    /// Reads up to the empty line and what arrived with it.
    func readHead() -> String? {
      var head = [UInt8]()
      while !String(decoding: head, as: UTF8.self).contains("\r\n\r\n") {
        guard let bytes = receive() else { return nil }
        head += bytes
      }
      return String(decoding: head, as: UTF8.self)
    }

    func send(_ text: String) { send(Array(text.utf8)) }

    /// Reads until the other side has ended.
    func readToEnd() { while receive() != nil {} }
  }
#endif
