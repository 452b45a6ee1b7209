// As Security's headers have it: SecTrust.h, SecCertificate.h, SecImportExport.h and SecProtocolTypes.h.
import Dispatch
@_exported import Foundation
import FoundationNetworking

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
extension String { public var standIn: CFString { CFString() } }
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
public class SecPolicy {}
public func SecPolicyCreateSSL(_ isServer: Bool, _ host: CFString?) -> SecPolicy { SecPolicy() }
public func SecTrustSetPolicies(_ trust: SecTrust, _ policies: CFTypeRef) -> OSStatus { 0 }

// SecProtocolOptions.h, SecProtocolTypes.h
public final class sec_protocol_options_t { public init() {} }
public final class sec_protocol_metadata_t {}
public final class sec_trust_t {}
public final class sec_identity_t {}
public typealias sec_protocol_verify_complete_t = (Bool) -> Void
public typealias sec_protocol_verify_t = (sec_protocol_metadata_t, sec_trust_t, @escaping sec_protocol_verify_complete_t) -> Void
public func sec_trust_copy_ref(_ trust: sec_trust_t) -> Unmanaged<SecTrust> { .passRetained(SecTrust()) }
public func sec_identity_create_with_certificates(_ identity: SecIdentity, _ certificates: CFArray) -> sec_identity_t? { nil }
public func sec_protocol_options_set_local_identity(_ options: sec_protocol_options_t, _ identity: sec_identity_t) {}
public func sec_protocol_options_add_tls_application_protocol(_ options: sec_protocol_options_t, _ name: UnsafePointer<CChar>) {}
public func sec_protocol_options_set_min_tls_protocol_version(_ options: sec_protocol_options_t, _ version: tls_protocol_version_t) {}
public func sec_protocol_options_set_verify_block(_ options: sec_protocol_options_t, _ block: @escaping sec_protocol_verify_t, _ queue: DispatchQueue) {}
