import Foundation
import ResourcePrimitives

#if Curl && canImport(CResourceCurl)
  import CResourceCurl
#endif

/// A hash of bytes that arrive in pieces: by CryptoKit on Apple platforms, and on Linux by OpenSSL
/// if libcurl has brought it along. It takes an eighth of the time of the library's own SHA-256.
@safe final class RunningDigest {
  #if Curl && canImport(CResourceCurl)
    private let context: UnsafeMutableRawPointer?
    private var isEnded = false
  #endif
  private var own: RunningHash

  init(_ algorithm: DownloadOptions.Digest.Algorithm) {
    own = RunningHash(bits: algorithm.rawValue)
    #if Curl && canImport(CResourceCurl)
      unsafe context = resource_hash_begin(Int32(algorithm.rawValue))
    #endif
  }

  #if Curl && canImport(CResourceCurl)
    deinit { if !isEnded { _ = endOpenSSL() } }

    private func endOpenSSL() -> [UInt8]? {
      guard let context = unsafe context, !isEnded else { return nil }
      isEnded = true
      return unsafe [UInt8](unsafeUninitializedCapacity: 64) { bytes, count in
        count = unsafe Int(resource_hash_end(context, bytes.baseAddress))
      }
    }
  #endif

  /// Hashes more bytes.
  func update(_ bytes: Data) {
    #if Curl && canImport(CResourceCurl)
      if let context = unsafe context {
        _ = unsafe bytes.withUnsafeBytes {
          unsafe resource_hash_update(context, $0.baseAddress, $0.count)
        }
        return
      }
    #endif
    own.update(bytes)
  }

  /// Returns the hash of all bytes, in hexadecimal digits. Nothing may be called after that.
  func finish() -> String { SecureHash.hexadecimal(finishBytes()) }

  /// Returns the hash of all bytes. Nothing may be called after that.
  func finishBytes() -> [UInt8] {
    #if Curl && canImport(CResourceCurl)
      if let hash = endOpenSSL() { return hash }
    #endif
    return own.finish()
  }
}
