// What Darwin declares otherwise than Glibc, as <sys/socket.h>, <netinet/in.h>, <netinet/tcp.h>, <fcntl.h> and <poll.h>
// of Apple's published sources (xnu) have it. These declarations hide those that are exported again.
@_exported import Glibc

public var SOCK_STREAM: Int32 { 1 }
public var SO_NOSIGPIPE: Int32 { 0x1022 }
public var IPPROTO_TCP: Int32 { 6 }
public var SHUT_RD: Int32 { 0 }
public var SHUT_WR: Int32 { 1 }
public var SHUT_RDWR: Int32 { 2 }
public var MSG_PEEK: Int32 { 0x2 }
public var MSG_DONTWAIT: Int32 { 0x80 }
public var F_FULLFSYNC: Int32 { 51 }
public var F_PREALLOCATE: Int32 { 42 }
public var F_ALLOCATEALL: Int32 { 0x4 }
public var F_PEOFPOSMODE: Int32 { 3 }
public struct fstore_t {
  public var fst_flags: UInt32 = 0
  public var fst_posmode: Int32 = 0
  public var fst_offset: off_t = 0
  public var fst_length: off_t = 0
  public var fst_bytesalloc: off_t = 0
  public init() {}
}
public var RLIMIT_NOFILE: Int32 { 8 }
public var RLIMIT_FSIZE: Int32 { 1 }

@available(*, unavailable) public var MSG_NOSIGNAL: Int32 { 0 }
@available(*, unavailable) public var SOCK_CLOEXEC: Int32 { 0 }
@available(*, unavailable) public var SOCK_NONBLOCK: Int32 { 0 }
@available(*, unavailable) public var O_TMPFILE: Int32 { 0 }
@available(*, unavailable) public var O_PATH: Int32 { 0 }
@available(*, unavailable) public func fdatasync(_ descriptor: Int32) -> Int32 { 0 }
@available(*, unavailable) public func posix_fallocate(_ descriptor: Int32, _ offset: off_t, _ length: off_t) -> Int32 { 0 }
@available(*, unavailable) public func syncfs(_ descriptor: Int32) -> Int32 { 0 }

// <sys/qos.h>
public struct qos_class_t: Equatable { var value: UInt32 }
public var QOS_CLASS_USER_INTERACTIVE: qos_class_t { qos_class_t(value: 0x21) }
public var QOS_CLASS_USER_INITIATED: qos_class_t { qos_class_t(value: 0x19) }
public var QOS_CLASS_UTILITY: qos_class_t { qos_class_t(value: 0x11) }
public var QOS_CLASS_BACKGROUND: qos_class_t { qos_class_t(value: 0x09) }
public func qos_class_self() -> qos_class_t { QOS_CLASS_UTILITY }

// <sys/stat.h>
extension stat {
  public var st_mtimespec: timespec { st_mtim }
}
