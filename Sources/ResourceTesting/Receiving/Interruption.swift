/// Why a connection's thread stops what it is doing.
enum Interruption: Error {
  /// The peer has closed or reset the connection, or the server's stop has shut it down.
  case peerLeft
  /// What came in is no HTTP/1.
  case malformed(String)
  /// A step of the script has closed the connection.
  case closedByScript
}
