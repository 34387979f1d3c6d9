import Cryptography
import Operations
import Primitives

// D21: the certificates that answer, wherever they are.

extension OnlineChecks {
    /// How long the certificate of a host is still good for; a balancer's is in no file that the settings name.
    func certificate(_ base: BaseURL) async -> [Finding] {
        guard base.scheme == "https" else { return [] }
        guard let pem = await ways.certificate(base.origin + "/") else {
            return [Finding("D21", .note, base.setting, "The certificate of \(base.origin) could not be looked at.")]
        }
        do throws(CryptographyError) {
            let certificate = try CertificateFacts(pem: pem)
            return CertificateChecks.validity(
                of: certificate,
                base.setting,
                clock.now(),
                renewal: "Renew it where TLS ends, at the balancer or here, and have it taken up."
            )
        } catch {
            return [Finding("D21", .note, base.setting, "The certificate of \(base.origin) cannot be read.")]
        }
    }
}
