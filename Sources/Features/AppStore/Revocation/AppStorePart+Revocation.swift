import AppStoreTransactions
import JOSE
import Primitives

extension AppStorePart {
    /// Refuses a verified text whose certificates are revoked, or where `app_store.revocation` wants an answer and there is none.
    ///
    /// - Throws: `certificate` for one that is revoked, `revocationUnknown` where a later try may get an answer.
    func demandStanding(
        _ text: [UInt8],
        of environment: AppStoreEnvironment,
        at now: WallTime
    ) async throws(SignedTextRefusal) {
        guard let revocation, environment.isSigned else { return }
        let path: VerifiedPath
        do throws(SignedTextRefusal) {
            path = try process.verifiers.certificates(ofVerified: text, of: environment, at: now)
        } catch {
            // It was good when Apple signed the text; nobody answers for a certificate that has ended since.
            return try revocation.goWithout(error.reason)
        }
        try await revocation.demandStanding(path, at: now)
    }
}
