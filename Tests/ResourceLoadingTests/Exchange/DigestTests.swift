import Foundation
import ResourcePrimitives
import Testing

@testable import ResourceLoading

/// Hashes, and the headers that announce them.
struct DigestTests {
  private static let abc = Data("abc".utf8)

  /// The examples of FIPS 180-4, and of the empty message.
  @Test(arguments: [
    (256, "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (256, "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    (
      256, "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    (
      512, "abc",
      "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
    ),
    (
      512, "",
      "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e"
    ),
    (
      512,
      "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
      "8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018501d289e4900f7e4331b99dec4b5433ac7d329eeb6dd26545e96e55b874be909"
    ),
  ])
  func `hashes are those of the standard`(_ bits: Int, _ text: String, _ hash: String) {
    var own = RunningHash(bits: bits)
    own.update(Data(text.utf8))
    #expect(SecureHash.hexadecimal(own.finish()) == hash)
    let system = RunningDigest(bits == 256 ? .sha256 : .sha512)
    system.update(Data(text.utf8))
    #expect(system.finish() == hash)
  }

  @Test(arguments: [256, 512], [0, 1, 55, 56, 63, 64, 111, 112, 127, 128, 129, 1000])
  func `pieces of any length have the hash of the whole`(_ bits: Int, _ length: Int) {
    let bytes = Data((0..<length).map { UInt8(truncatingIfNeeded: $0) })
    let system = RunningDigest(bits == 256 ? .sha256 : .sha512)
    system.update(bytes)
    let expected = system.finish()

    for size in [1, 7, 64, 200] {
      var own = RunningHash(bits: bits)
      for start in stride(from: 0, to: length, by: size) {
        own.update(bytes[start..<min(length, start + size)])
      }
      #expect(SecureHash.hexadecimal(own.finish()) == expected)
    }
  }

  /// Some of them as in RFC 9530, appendix B and D.
  @Test(arguments: [
    ("Repr-Digest", "sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:", 1),
    (
      "Repr-Digest",
      "sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyealdVLvRwEmTHWXvJwew==:, sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:",
      2
    ),
    ("Digest", "SHA-256=X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=", 1),
    ("Digest", "md5=HUXZLQLMuI/KZ5KDcJPcOA==,unixsum=30637", 0),
    ("Repr-Digest", "sha-256=:AAAA:", 0),
    ("Repr-Digest", "sha-256", 0),
    ("Repr-Digest", "", 0),
    ("Repr-Digest", "sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:;a=1, b", 1),
  ])
  func `announced digests are read`(_ name: String, _ value: String, _ count: Int) {
    var head = ResponseHead(status: .ok)
    head.headers[Headers.Name(rawValue: name)] = value

    #expect(head.headers.announcedDigests.count == count)
    head.headers[.contentEncoding] = "gzip"
    #expect(head.headers.announcedDigests.isEmpty)
  }
}
