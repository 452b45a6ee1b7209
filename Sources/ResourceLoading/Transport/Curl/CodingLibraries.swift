#if Curl && canImport(CResourceZlib)
  import CResourceZlib
  import Glibc

  // Libraries that decode content codings. They are loaded when they are first needed, instead of
  // being linked, so that nobody has to install their headers: libcurl itself needs them in all
  // usual distributions, so they are there when it is. Their interfaces are stable: a library with
  // another one has another number in its name.

  /// The functions of Google's brotli.
  @safe struct BrotliLibrary: Sendable {
    let create:
      @convention(c) @Sendable (OpaquePointer?, OpaquePointer?, OpaquePointer?) ->
        OpaquePointer?
    let decompress:
      @convention(c) @Sendable (
        OpaquePointer, UnsafeMutablePointer<Int>, UnsafeMutablePointer<UnsafePointer<UInt8>?>,
        UnsafeMutablePointer<Int>, UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>,
        UnsafeMutablePointer<Int>?
      ) -> Int32
    let destroy: @convention(c) @Sendable (OpaquePointer?) -> Void

    /// `nil` if the system doesn't have it.
    static let shared = try? BrotliLibrary(SharedLibrary("libbrotlidec.so.1"))

    private init(_ library: SharedLibrary) throws(SharedLibrary.Missing) {
      unsafe create = try library.function("BrotliDecoderCreateInstance")
      unsafe decompress = try library.function("BrotliDecoderDecompressStream")
      unsafe destroy = try library.function("BrotliDecoderDestroyInstance")
    }
  }

  /// The functions of Facebook's zstd.
  @safe struct ZstandardLibrary: Sendable {
    let create: @convention(c) @Sendable () -> OpaquePointer?
    let set: @convention(c) @Sendable (OpaquePointer?, UInt32, Int32) -> Int
    let decompress:
      @convention(c) @Sendable (
        OpaquePointer, UnsafeMutablePointer<resource_zstd_output>,
        UnsafeMutablePointer<resource_zstd_input>
      ) -> Int
    let isError: @convention(c) @Sendable (Int) -> UInt32
    let errorName: @convention(c) @Sendable (Int) -> UnsafePointer<CChar>?
    let free: @convention(c) @Sendable (OpaquePointer?) -> Int

    /// `nil` if the system doesn't have it.
    static let shared = try? ZstandardLibrary(SharedLibrary("libzstd.so.1"))

    private init(_ library: SharedLibrary) throws(SharedLibrary.Missing) {
      unsafe create = try library.function("ZSTD_createDStream")
      unsafe set = try library.function("ZSTD_DCtx_setParameter")
      unsafe decompress = try library.function("ZSTD_decompressStream")
      unsafe isError = try library.function("ZSTD_isError")
      unsafe errorName = try library.function("ZSTD_getErrorName")
      unsafe free = try library.function("ZSTD_freeDStream")
    }
  }

  /// A library that is loaded at run time, and stays loaded.
  @safe struct SharedLibrary {
    private let handle: UnsafeMutableRawPointer

    /// The system doesn't have the library, or the library doesn't have a function.
    struct Missing: Error {}

    init(_ name: String) throws(Missing) {
      guard let handle = unsafe dlopen(name, RTLD_NOW | RTLD_LOCAL) else { throw Missing() }
      unsafe self.handle = unsafe handle
    }

    /// Returns a function. The type that the caller expects has to be the function's own.
    @unsafe func function<Function>(_ name: String) throws(Missing) -> Function {
      guard let address = unsafe dlsym(handle, name) else { throw Missing() }
      return unsafe unsafeBitCast(address, to: Function.self)
    }
  }
#endif
