package import Cryptography

/// What a signing worker hands back.
package typealias SignatureResult = Result<[UInt8], CryptographyError>

/// Runs one signature on another thread and comes back to the loop.
///
/// A signature takes about 0.2 ms of computing, which would hold up every other request of the loop.
package typealias SignOffLoop = (_ work: @escaping @Sendable () -> SignatureResult) async -> SignatureResult

/// The merchant's key with the label it signs under.
struct MessageSigner: Sendable {
    let algorithm: SigningAlgorithm
    let key: RSAPrivateKey

    /// Signs at once, on the calling thread.
    func signature(of string: StringToSign) -> SignatureResult {
        do throws(CryptographyError) {
            return .success(try key.signPSS(Array(string.text.utf8), saltLength: string.algorithm.saltLength))
        } catch {
            return .failure(error)
        }
    }

    /// Signs where the given closure says.
    func signature(of string: StringToSign, _ offLoop: SignOffLoop) async throws(CryptographyError) -> String {
        let result = await offLoop { self.signature(of: string) }
        return Base64.encode(try result.get())
    }
}
