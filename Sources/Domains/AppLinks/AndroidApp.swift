/// An Android app that belongs to the link host.
package struct AndroidApp: Sendable, Hashable {
    /// What the host lets the app do; the raw value is the relation in the document.
    package enum Relation: String, Sendable, CaseIterable {
        /// App Links.
        case handleAllURLs = "delegate_permission/common.handle_all_urls"
        /// Shared sign-in.
        case getLoginCredentials = "delegate_permission/common.get_login_creds"
    }

    /// For example `com.example.shop`.
    package let package: String
    /// SHA-256 of the signing certificates: 32 bytes each, upper-case hex, colons between.
    package let fingerprints: [String]
    /// What the host lets the app do, in the order of the document.
    package var relations: [Relation] = [.handleAllURLs]
    /// Whether to add the patterns that Android 15 reads from the document and merges with the app's manifest.
    package let isDynamic: Bool

    /// An app.
    ///
    /// With store-side signing give the store's signing key, not the upload key: that is the classic failure.
    ///
    /// - Parameters:
    ///   - package: Two or more names with dots between.
    ///   - fingerprints: One for each signing certificate; hexadecimal digits of either case with colons between.
    ///   - isDynamic: Whether to add the patterns that Android 15 reads.
    /// - Throws: Every part that is malformed or comes twice.
    package init(package: String, fingerprints: [String], isDynamic: Bool = false) throws(AppLinkError) {
        var problems: [String] = []
        if !AndroidApp.isPackage(package) { problems.append("the package name \(package) is malformed") }
        if fingerprints.isEmpty { problems.append("there is no fingerprint") }
        let upper = fingerprints.map { $0.uppercased() }
        for fingerprint in upper where !AndroidApp.isFingerprint(fingerprint) {
            problems.append("the fingerprint \(fingerprint) is not 32 bytes in hex with colons")
        }
        if Set(upper).count != upper.count { problems.append("a fingerprint comes twice") }
        guard problems.isEmpty else { throw AppLinkError(problems: problems) }
        self.package = package
        self.fingerprints = upper
        self.isDynamic = isDynamic
    }

    private static func isPackage(_ text: String) -> Bool {
        let names = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return names.count >= 2
            && names.allSatisfy { name in
                name.first.map { Characters.isAlphanumeric($0) && !Characters.isDigit($0) } == true
                    && name.allSatisfy { Characters.isAlphanumeric($0) || $0 == UInt8(ascii: "_") }
            }
    }

    private static func isFingerprint(_ text: String) -> Bool {
        let pairs = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        return pairs.count == 32
            && pairs.allSatisfy { pair in
                pair.count == 2
                    && pair.allSatisfy {
                        Characters.isDigit($0) || ($0 >= UInt8(ascii: "A") && $0 <= UInt8(ascii: "F"))
                    }
            }
    }
}
