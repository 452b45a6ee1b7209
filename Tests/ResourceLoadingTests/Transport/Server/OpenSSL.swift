#if Curl && os(Linux)
  import Glibc
  import TestSupport
  import Testing

  /// The functions of OpenSSL that a server needs, from the library that libcurl uses.
  ///
  /// Linking the library would need a package that README doesn't name.
  struct OpenSSL: Sendable {
    typealias Pointer = OpaquePointer
    typealias Bytes = UnsafeMutablePointer<UInt8>
    typealias SelectProtocol =
      @convention(c) (
        Pointer?, UnsafeMutablePointer<UnsafePointer<UInt8>?>?, Bytes?, UnsafePointer<UInt8>?,
        UInt32,
        UnsafeMutableRawPointer?
      ) -> Int32
    typealias Getter = @convention(c) () -> Pointer?
    typealias Maker = @convention(c) (Pointer?) -> Pointer?
    typealias Action = @convention(c) (Pointer?) -> Void
    typealias Operation = @convention(c) (Pointer?) -> Int32
    typealias Number = @convention(c) (Pointer?, Int32) -> Int32
    typealias Reading = @convention(c) (Pointer?, Bytes?, Int32) -> Int32
    typealias Writing = @convention(c) (Pointer?, UnsafePointer<UInt8>?, Int32) -> Int32

    let serverMethod: Getter
    let newContext: Maker
    let freeContext: Action
    let control: @convention(c) (Pointer?, Int32, Int, UnsafeMutableRawPointer?) -> Int
    let useCertificate: @convention(c) (Pointer?, UnsafePointer<CChar>) -> Int32
    let useKey: @convention(c) (Pointer?, UnsafePointer<CChar>, Int32) -> Int32
    let selectProtocol: @convention(c) (Pointer?, SelectProtocol?, UnsafeMutableRawPointer?) -> Void
    let trust: @convention(c) (Pointer?, UnsafePointer<CChar>?, UnsafePointer<CChar>?) -> Int32
    let verify: @convention(c) (Pointer?, Int32, UnsafeMutableRawPointer?) -> Void
    let new: Maker
    let free: Action
    let accept: Action
    let shakeHands: Operation
    let read: Reading
    let write: Writing
    let error: Number
    let shutDown: Operation
    let renegotiate: Operation
    let updateKey: Number
    let newTicket: Operation
    let setBuffers: @convention(c) (Pointer?, Pointer?, Pointer?) -> Void
    let memoryMethod: Getter
    let newBuffer: Maker
    let readBuffer: Reading
    let writeBuffer: Writing

    /// `nil` without OpenSSL 3.
    static let shared = try? OpenSSL()

    struct Failure: Error {}

    private init() throws {
      guard let library = dlopen("libssl.so.3", RTLD_NOW | RTLD_LOCAL) else { throw Failure() }
      func find<Function>(_ name: String) throws -> Function {
        guard let symbol = dlsym(library, name) else { throw Failure() }
        return unsafeBitCast(symbol, to: Function.self)
      }
      serverMethod = try find("TLS_server_method")
      newContext = try find("SSL_CTX_new")
      freeContext = try find("SSL_CTX_free")
      control = try find("SSL_CTX_ctrl")
      useCertificate = try find("SSL_CTX_use_certificate_chain_file")
      useKey = try find("SSL_CTX_use_PrivateKey_file")
      selectProtocol = try find("SSL_CTX_set_alpn_select_cb")
      trust = try find("SSL_CTX_load_verify_locations")
      verify = try find("SSL_CTX_set_verify")
      new = try find("SSL_new")
      free = try find("SSL_free")
      accept = try find("SSL_set_accept_state")
      shakeHands = try find("SSL_do_handshake")
      read = try find("SSL_read")
      write = try find("SSL_write")
      error = try find("SSL_get_error")
      shutDown = try find("SSL_shutdown")
      renegotiate = try find("SSL_renegotiate")
      updateKey = try find("SSL_key_update")
      newTicket = try find("SSL_new_session_ticket")
      setBuffers = try find("SSL_set_bio")
      memoryMethod = try find("BIO_s_mem")
      newBuffer = try find("BIO_new")
      readBuffer = try find("BIO_read")
      writeBuffer = try find("BIO_write")
    }
  }

  extension Trait where Self == ConditionTrait {
    static var needsOpenSSL: Self {
      .enabled(if: TLSAuthority.isAvailable && OpenSSL.shared != nil, "OpenSSL isn't installed")
    }
  }
#endif
