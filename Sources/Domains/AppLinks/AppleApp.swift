/// An iOS app, or an app clip, that belongs to the link host.
package struct AppleApp: Sendable, Hashable {
    /// What the host vouches for; the raw value is the key in the document.
    package enum Service: String, Sendable, CaseIterable {
        /// Universal Links.
        case appLinks = "applinks"
        /// Passwords, passkeys, and https callbacks of authentication sessions from iOS 17.4 on.
        case webCredentials = "webcredentials"
        /// Handoff.
        case activityContinuation = "activitycontinuation"
        /// The app is a clip.
        case appClips = "appclips"
    }

    /// Application identifier prefix, a dot, bundle id.
    package let id: String
    /// What the host vouches for.
    package let services: Set<Service>

    /// An app.
    ///
    /// - Parameters:
    ///   - prefix: Ten capital letters or digits; usually, not always, the team id.
    ///   - bundle: Letters, digits, dots and hyphens.
    ///   - isClip: Whether the app is a clip; adds that service.
    /// - Throws: Every part that is malformed or unknown.
    package init(prefix: String, bundle: String, services: [String], isClip: Bool = false) throws(AppLinkError) {
        var problems: [String] = []
        if prefix.utf8.count != 10 || !prefix.utf8.allSatisfy({ Characters.isUpper($0) || Characters.isDigit($0) }) {
            problems.append("the prefix \(prefix) is not ten capital letters or digits")
        }
        if bundle.isEmpty || bundle.utf8.count > 155 || !bundle.utf8.allSatisfy(AppleApp.isBundleByte) {
            problems.append("the bundle id \(bundle) is malformed")
        }
        var known: Set<Service> = isClip ? [.appClips] : []
        for name in services {
            if let service = Service(rawValue: name) {
                known.insert(service)
            } else {
                problems.append("\(name) is no service of an association file")
            }
        }
        guard problems.isEmpty else { throw AppLinkError(problems: problems) }
        id = prefix + "." + bundle
        self.services = known
    }

    private static func isBundleByte(_ byte: UInt8) -> Bool {
        Characters.isAlphanumeric(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
    }
}
