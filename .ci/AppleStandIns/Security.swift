// As Security's headers have it: SecTrust.h, SecCertificate.h, SecImportExport.h and SecProtocolTypes.h.
@_exported import Foundation

// Toll-free bridged on Apple platforms, where `as` makes one of the other.
public typealias CFTypeRef = AnyObject
public typealias CFTypeID = UInt
public typealias OSStatus = Int32
public typealias CFString = NSString
public typealias CFData = NSData
public typealias CFArray = NSArray
public typealias CFDictionary = NSDictionary
public typealias CFError = NSError
extension Data { public var standIn: CFData { CFData() } }
extension Array { public var standIn: CFArray { CFArray() } }
extension Dictionary { public var standIn: CFDictionary { CFDictionary() } }
public func CFGetTypeID(_ value: CFTypeRef?) -> CFTypeID { 0 }

public class SecTrust {}
public class SecCertificate {}
public class SecIdentity {}
public var errSecSuccess: OSStatus { 0 }
public var kSecImportExportPassphrase: CFString { "" as NSString }
public var kSecImportToMemoryOnly: CFString { "" as NSString }
public var kSecImportItemIdentity: CFString { "" as NSString }
public var kSecImportItemCertChain: CFString { "" as NSString }
public func SecIdentityGetTypeID() -> CFTypeID { 0 }
public func SecCertificateCreateWithData(_ allocator: AnyObject?, _ data: CFData) -> SecCertificate? { nil }
public func SecCertificateCopyData(_ certificate: SecCertificate) -> CFData { CFData() }
public func SecTrustSetAnchorCertificates(_ trust: SecTrust, _ anchors: CFArray?) -> OSStatus { 0 }
public func SecTrustSetAnchorCertificatesOnly(_ trust: SecTrust, _ only: Bool) -> OSStatus { 0 }
public func SecTrustEvaluateWithError(_ trust: SecTrust, _ error: UnsafeMutablePointer<CFError?>?) -> Bool { true }
public func SecTrustCopyCertificateChain(_ trust: SecTrust) -> CFArray? { nil }
public func SecPKCS12Import(_ data: CFData, _ options: CFDictionary, _ items: UnsafeMutablePointer<CFArray?>) -> OSStatus { 0 }
