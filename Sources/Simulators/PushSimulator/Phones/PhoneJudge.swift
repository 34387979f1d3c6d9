package import Cryptography
package import Primitives
import WalletPass

/// Judges passes as phones do, with a root of its own in the place of the vendor's.
package struct PhoneJudge: CardJudge {
    private let judge: PassJudge

    /// A judge that believes these roots.
    ///
    /// - Parameter rootsPEM: One or more certificates.
    /// - Throws: `invalidCertificate` where one cannot be read.
    package init(rootsPEM: [UInt8]) throws(CryptographyError) {
        judge = PassJudge(trust: try X509Certificate.list(rootsPEM))
    }

    package func judge(_ archive: [UInt8], at time: WallTime) -> CardVerdict {
        let verdict = judge.judge(archive, at: time)
        guard verdict.isConforming, let pass = verdict.pass else {
            let errors = verdict.findings.filter { $0.severity == .error }.map { "\($0)" }
            return .bad(errors.isEmpty ? ["there is no pass in it"] : errors)
        }
        return .good(
            OpenedCard(
                json: pass.pass,
                strings: pass.strings.mapValues(\.texts),
                files: Dictionary(pass.files.map { ($0.name.octets, $0.bytes) }) { first, _ in first }
            )
        )
    }
}
