#if Curl && canImport(FoundationNetworking)
  import ResourcePrimitives
  import TestSupport
  import Testing

  @testable import ResourceLoading

  @Suite
  struct CurlFailureTests {
    @Test("a shortage of libcurl's memory may pass, and is no mistake of the request")
    func shortage() {
      #expect(LoadError.curlOutOfMemory.kind == .connection)
      #expect(LoadError.curlOutOfMemory.isPassingShortage)
      #expect(!LoadError.curlUnavailable.isPassingShortage)
    }
  }
#endif
