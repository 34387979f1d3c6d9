/// The label of a signature, which fixes its salt length.
///
/// Both are RSASSA-PSS with SHA-256 and MGF1 with SHA-256.
package enum SigningAlgorithm: String, Sendable, CaseIterable {
    /// The vendor's older label.
    case pss = "AMZN-PAY-RSASSA-PSS"
    /// The one the vendor recommends.
    case pssV2 = "AMZN-PAY-RSASSA-PSS-V2"

    /// What stands in headers and in the checkout script's configuration.
    package var label: String { rawValue }

    /// In bytes; a verifier demands exactly this.
    package var saltLength: Int32 {
        switch self {
        case .pss: 20
        case .pssV2: 32
        }
    }
}
