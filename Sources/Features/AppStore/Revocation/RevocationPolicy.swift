import AppStoreTransactions
import Primitives
import Settings

/// What follows where nobody says whether a certificate of a signed text is revoked.
enum RevocationPolicy: String, Sendable, CaseIterable {
    /// Nobody is asked.
    case off
    /// The text is taken, and counted.
    case soft
    /// The text is not taken now.
    case hard
}

extension RevocationPolicy {
    /// As the settings say.
    init(_ read: inout SettingReader) {
        let word = read.choice(
            "app_store.revocation",
            RevocationPolicy.allCases.map(\.rawValue),
            RevocationPolicy.soft.rawValue,
            "whether the authorities are asked if the certificates of signed texts are revoked: soft takes a text without an answer, hard does not"
        )
        self = RevocationPolicy.allCases.first { $0.rawValue.octets == word.octets } ?? .soft
    }

    /// Whether texts without an answer are taken.
    ///
    /// - Throws: With `hard`: what never gets an answer is refused for good, anything else for now.
    func demandAnswer(_ reason: SignedTextRefusal.Reason) throws(SignedTextRefusal) {
        guard self == .hard else { return }
        switch reason {
        case .noResponder, .validity: throw .certificate(reason)
        default: throw .revocationUnknown(reason)
        }
    }
}
