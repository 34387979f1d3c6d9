import Cryptography
package import Primitives

/// An app as its instances are attested: by the team that signs it and its bundle id.
package struct AttestedApp: Hashable, Sendable {
    /// Ten characters of the developer's team.
    package let teamID: String
    /// For example `jp.example.shop`.
    package let bundleID: String
    /// SHA-256 of `TEAM.BUNDLE`, which the device puts in front of what it signs.
    package let identifierHash: Digest32

    /// An app, or `nil` where a part is none.
    package init?(teamID: String, bundleID: String) {
        let isTeam = teamID.utf8.count == 10 && teamID.utf8.allSatisfy(AttestedApp.isLetterOrDigit)
        let isBundle =
            (1...155).contains(bundleID.utf8.count)
            && bundleID.utf8.allSatisfy { AttestedApp.isLetterOrDigit($0) || $0 == 0x2D || $0 == 0x2E }
        guard isTeam, isBundle else { return nil }
        self.teamID = teamID
        self.bundleID = bundleID
        identifierHash = SHA256.digest(of: Array("\(teamID).\(bundleID)".utf8))
    }

    /// `TEAM.BUNDLE`.
    package var text: String { "\(teamID).\(bundleID)" }

    private static func isLetterOrDigit(_ character: UInt8) -> Bool {
        switch character {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: false
        }
    }
}

extension AttestedApp: CustomStringConvertible {
    package var description: String { text }
}

/// For which of Apple's two worlds a key was made; each has its own keys.
package enum AttestEnvironment: String, Sendable, Hashable, CaseIterable {
    /// TestFlight and the App Store.
    case production
    /// Builds that are signed for development.
    case development

    /// What stands for the kind of authenticator: 16 bytes.
    package var authenticatorID: [UInt8] {
        switch self {
        case .production: Array("appattest".utf8) + [UInt8](repeating: 0, count: 7)
        case .development: Array("appattestdevelop".utf8)
        }
    }

    /// Its name in receipts.
    package var receiptWord: String {
        switch self {
        case .production: "production"
        case .development: "sandbox"
        }
    }
}

/// How an instance of an app came onto its device, as systems from iOS 27 on say it.
package enum ValidationCategory: UInt32, Sendable, Hashable, CaseIterable {
    /// A part of the system.
    case system = 1
    /// TestFlight.
    case testFlight = 2
    /// Signed for development.
    case development = 3
    /// The App Store.
    case appStore = 4
    /// A company's own, or for registered devices.
    case enterprise = 5
    /// Developer ID, on macOS.
    case developerID = 6
    /// Any other, those among it that are unknown here.
    case other = 10
}
