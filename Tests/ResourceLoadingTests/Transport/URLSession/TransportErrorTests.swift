import Foundation
import Testing

@testable import ResourceLoading

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The errors of a URLSession that have no code of their own on Linux.
struct TransportErrorTests {
  @Test(arguments: [
    ("error:0A00010B:SSL routines::wrong version number", LoadError.Kind.secureConnection),
    ("SSL certificate problem: self-signed certificate", .secureConnection),
    ("SSL: no alternative certificate subject name matches target host name", .secureConnection),
    ("OpenSSL SSL_read: SSL_ERROR_SYSCALL, errno 104", .connection),
    ("OpenSSL SSL_read: error:0A000126:SSL routines::unexpected eof while reading", .connection),
    ("OpenSSL SSL_write: Broken pipe, errno 32", .connection),
    ("transfer closed with 3 bytes remaining to read", .connection),
  ])
  func `the text distinguishes failures of TLS and of the network`(
    _ text: String, _ kind: LoadError.Kind
  ) {
    let error = URLError(.unknown, userInfo: [NSLocalizedDescriptionKey: text])

    #expect(LoadError(transport: error).kind == kind)
  }
}
