import Primitives

/// An address that certificates may be fetched from; only a rule makes one.
package struct CertificateURL: Sendable, Hashable {
    /// The address in one spelling: host in lower case, without the port that goes without saying.
    package let text: String
    /// The host of the notification service, which the certificate may name; `nil` for an extra authority.
    package let serviceHost: String?
}

/// Distinguishes addresses of the notification service from all others, so that nobody can make this program call a server of
/// their choice.
///
/// The service's hosts are `sns.REGION.amazonaws.com` and `sns.REGION.amazonaws.com.cn`.
package struct CertificateURLRule: Sendable {
    private let extraAuthorities: [String]

    private static let lengthLimit = 2048

    /// A rule.
    ///
    /// - Parameter extraAuthorities: Hosts, each with its port where it is not 443, that count as the service's: for
    ///   simulators. Also in clear, where the host is this machine.
    package init(extraAuthorities: [String] = []) {
        self.extraAuthorities = extraAuthorities.compactMap {
            HTTPURL("https://" + $0).map(CertificateURLRule.authority(of:))
        }
    }

    /// Whether a certificate may be fetched from an address.
    ///
    /// - Returns: As `certificateURL`.
    package func allows(_ url: String) -> Bool {
        certificateURL(url) != nil
    }

    /// The address of a certificate: `https`, one of the hosts, and one segment that ends in `.pem`.
    ///
    /// - Returns: `nil` where the host is another or anything is written in an unusual way: a user, another port, a query, a
    ///   fragment, an escape, a second segment.
    package func certificateURL(_ url: String) -> CertificateURL? {
        guard let parts = parts(url), parts.rest.count <= 256, parts.rest.count > 5,
            parts.rest.dropFirst().allSatisfy(CertificateURLRule.isNameByte),
            parts.rest.suffix(4).elementsEqual(".pem".utf8)
        else { return nil }
        return CertificateURL(
            text: parts.origin + String(decoding: parts.rest, as: UTF8.self),
            serviceHost: parts.serviceHost
        )
    }

    /// Whether a subscription may be confirmed at an address: a host as for certificates, the path `/` and a query.
    package func allowsConfirmation(_ url: String) -> Bool {
        guard let parts = parts(url), parts.rest.count > 2, parts.rest.starts(with: "/?".utf8) else { return false }
        return parts.rest.dropFirst(2).allSatisfy(CertificateURLRule.isQueryByte)
    }

    // MARK: Parts

    private struct Parts {
        /// Scheme and authority.
        let origin: String
        let serviceHost: String?
        /// From the first slash on.
        let rest: Substring.UTF8View
    }

    private func parts(_ text: String) -> Parts? {
        guard text.utf8.count <= CertificateURLRule.lengthLimit, let url = HTTPURL(text),
            url.rest.octets.starts(with: "/")
        else {
            return nil
        }
        let authority = CertificateURLRule.authority(of: url)
        let isService = url.isSecure && CertificateURLRule.isServiceHost(Array(authority.utf8)[...])
        let isExtra =
            extraAuthorities.contains(where: { $0.octets == authority.octets }) && (url.isSecure || url.host.isLoopback)
        guard isService || isExtra else { return nil }
        return Parts(
            origin: (url.isSecure ? "https://" : "http://") + authority,
            serviceHost: isService ? authority : nil,
            rest: Substring(url.rest).utf8
        )
    }

    /// Without the port of https; a name with a dot behind it stays another one, as everything unusual.
    private static func authority(of url: HTTPURL) -> String {
        url.isSecure && url.host.isPlain ? url.shortAuthority : url.authority
    }

    private static func isServiceHost(_ host: ArraySlice<UInt8>) -> Bool {
        guard host.starts(with: "sns.".utf8) else { return false }
        let behindName = host.dropFirst(4)
        for end in [".amazonaws.com", ".amazonaws.com.cn"] {
            guard behindName.suffix(end.utf8.count).elementsEqual(end.utf8) else { continue }
            let region = behindName.dropLast(end.utf8.count)
            if region.count >= 3, region.allSatisfy(isRegionByte) { return true }
        }
        return false
    }

    private static func isRegionByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
        default: false
        }
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "."), UInt8(ascii: "_"): true
        default: isRegionByte(byte)
        }
    }

    private static func isQueryByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "="), UInt8(ascii: "&"), UInt8(ascii: ":"), UInt8(ascii: "%"), UInt8(ascii: "+"),
            UInt8(ascii: "~"), UInt8(ascii: "/"):
            true
        default: isNameByte(byte)
        }
    }
}
