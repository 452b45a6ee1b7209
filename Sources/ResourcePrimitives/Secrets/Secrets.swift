import Foundation

/// The names of secrets: the one definition for logs, errors, cURL commands and caches.
package enum Secrets {
  package static let replacement = "<redacted>"

  /// Returns whether the value under the name of a header, a query item, a member or a cookie is a
  /// secret.
  ///
  /// Case and separators are ignored: `X-Api-Key`, `x_api_key` and `apiKey` are one name. Each part
  /// of a nested name, such as `user[key]` or `user.key`, is checked. `others` are additional names
  /// of secrets: ``Request/Options/secretNames``.
  package static func isSecret(name: String, or others: Set<String>? = nil) -> Bool {
    let plain = name.utf8.contains(UInt8(ascii: "%")) ? name.percentDecoded ?? name : name
    if isSecret(folded: folded(plain.utf8)) { return true }
    if let others, others.contains(where: { folded($0.utf8) == folded(plain.utf8) }) { return true }
    let parts = plain.utf8.split { [0x2E, 0x5B, 0x5D].contains($0) }  // . [ ]
    return parts.count > 1
      && parts.contains { part in
        let part = folded(part)
        return isSecret(folded: part) || others?.contains { folded($0.utf8) == part } ?? false
      }
  }
}

extension Secrets {
  /// Returns whether the name of a header or a query item is that of a credential by a standard or
  /// by wide use, whatever its value is. Only this list decides what is kept in files.
  /// ``isSecret(name:or:)`` guesses, and changes what is printed.
  package static func isCredential(name: String, or others: Set<String>? = nil) -> Bool {
    let plain = name.withoutEscapes
    // Also `user[password]` and `user.password`.
    let parts = plain.utf8.split { [0x2E, 0x5B, 0x5D].contains($0) }.map(folded)
    return ([folded(plain.utf8)] + parts).contains { name in
      credentials.contains(name) || others?.contains { folded($0.utf8) == name } ?? false
    }
  }

  private static let credentials = Set(
    table(
      "authorization proxyauthorization authenticationinfo proxyauthenticationinfo cookie cookie2 setcookie"
        + " setcookie2 dpop apikey xapikey accesskey secretkey token accesstoken authtoken refreshtoken"
        + " idtoken sessiontoken bearertoken securitytoken xauthtoken xaccesstoken xrefreshtoken"
        + " xsessiontoken xsecuritytoken xauthkey jwt xjwtassertion session sessionid xsessionid"
        + " jsessionid phpsessid sid password passwd pwd secret clientsecret clientassertion csrftoken"
        + " xsrftoken xcsrftoken xxsrftoken signature sig sas xsignature xamzsecuritytoken"
        + " xamzsignature xamzcredential xamzserversideencryptioncustomerkey xgoogsignature"
        + " xgoogcredential xgoogapikey xfunctionskey ocpapimsubscriptionkey subscriptionkey"
        + " privatetoken jobtoken xgitlabtoken xvaulttoken xshopifyaccesstoken ddapikey"
        + " ddapplicationkey samlresponse"))

  /// The ASCII letters and digits of a name, in lower case.
  static func folded(_ name: some Sequence<UInt8>) -> [UInt8] {
    var folded: [UInt8] = []
    for byte in name {
      // Digits have this bit already.
      if byte.isASCIILetter || byte.isASCIIDigit { folded.append(byte | 0x20) }
    }
    return folded
  }

  private static func isSecret(folded name: [UInt8]) -> Bool {
    guard !name.isEmpty, !isHarmless(name) else { return false }
    return words.contains(name) || endings.contains { name.suffix($0.count).elementsEqual($0) }
      || parts.contains { name.contains(part: $0) }
  }

  private static func isHarmless(_ name: [UInt8]) -> Bool {
    harmless.contains(name)
      || harmlessEndings.contains { name.suffix($0.count).elementsEqual($0) }
  }

  private static func table(_ names: String) -> [[UInt8]] {
    names.split(separator: " ").map { Array($0.utf8) }
  }

  /// Names that mark a secret only as a whole.
  private static let words = Set(
    table(
      "sig sas auth pwd pass pin otp totp sid sess pw pat hmac mac xauth appid dpop cnonce nextnonce"
        + " creds samlrequest samlart wresult hdnts hdnea cvv cvc mnemonic seedphrase"))

  /// Endings that make a name secret.
  private static let endings = table("key token secret code signature password pwd verifier")

  /// Texts that make a name secret anywhere in it.
  private static let parts = table(
    "authorization cookie token secret password passwd passphrase passcode apikey credential signature"
      + " session sessid jwt privatekey accesskey authkey customerkey encryptionkey bearer assertion"
      + " codeverifier samlresponse csrf xsrf connectionstring")

  /// Names that never hold a secret and are useful in errors.
  private static let harmless = Set(
    table(
      "unicode barcode keycode publickey primarykey foreignkey sortkey partitionkey cachekey tokentype"
        + " tokenendpoint tokenexpiresin accesscontrolallowcredentials cookiepolicy cookieconsent"
        + " maxtokens prompttokens completiontokens totaltokens inputtokens outputtokens"))

  /// Endings of names that never hold a secret and are useful in errors.
  private static let harmlessEndings = table(
    "statuscode httpcode errorcode countrycode languagecode langcode localecode currencycode"
      + " regioncode zipcode postalcode postcode exitcode resultcode responsecode reasoncode")
}

extension [UInt8] {
  fileprivate func contains(part: [UInt8]) -> Bool {
    guard count >= part.count else { return false }
    return (0...(count - part.count)).contains { self[$0...].starts(with: part) }
  }
}
