package import Primitives

/// What a certificate is worth at a point in time.
package enum ChainVerdict: Sendable, Equatable {
    /// It leads to a root that is believed, and speaks for the name; every certificate on the way is valid until then.
    case good(until: WallTime)
    /// It leads to no root that is believed, or breaks a rule on the way; OpenSSL's words, for operators.
    case untrusted(String)
    /// It, or one that it leads to, is no longer valid.
    case expired
    /// It, or one that it leads to, is not valid yet.
    case notYetValid
    /// It speaks for none of the names.
    case wrongName
    /// The text holds no certificate, or one that cannot be read.
    case malformed
}

/// Judges certificates of servers by roots that are believed, without a connection and at any time.
///
/// May be used from any thread; two judgements at once follow each other. One takes about 0.1 ms.
package final class CertificateChain: Sendable {
    private let store: Lock<TrustStore>
    private let intermediatesPEM: [UInt8]

    /// A judge of certificates.
    ///
    /// - Parameters:
    ///   - anchorsPEM: The roots that are believed, one or more; `nil` for those of the machine, which are read from its files
    ///     when they are needed.
    ///   - intermediatesPEM: Certificates that servers may have left out, themselves not believed; possibly none.
    /// - Throws: `invalidCertificate` where one cannot be read or no root is given; `failed` where OpenSSL refuses.
    package init(anchorsPEM: [UInt8]?, intermediatesPEM: [UInt8] = []) throws(CryptographyError) {
        _ = try CertificateList(pem: intermediatesPEM)
        let store = try TrustStore.make(anchorsPEM: anchorsPEM)
        self.store = Lock(store)
        self.intermediatesPEM = intermediatesPEM
    }

    /// Judges a certificate of a server.
    ///
    /// - Parameters:
    ///   - leafPEM: The certificate; those behind it in the text count as `extra`.
    ///   - extra: Certificates that came with it, themselves not believed; possibly none.
    ///   - names: Host names of which it must have one among its alternative names; without a name nothing is good.
    ///   - time: When it must be valid; the machine's clock is not asked.
    /// - Returns: The verdict; the name is looked at before the time.
    package func verify(
        leafPEM: [UInt8],
        extra: [UInt8] = [],
        names: [String],
        at time: WallTime
    ) -> ChainVerdict {
        // OpenSSL takes no name at all for any name.
        guard !names.isEmpty, !names.contains("") else { return .wrongName }
        let lineEnd = [UInt8(ascii: "\n")]
        let question = TrustStore.Question(
            leafPEM: leafPEM,
            helpersPEM: leafPEM + lineEnd + extra + lineEnd + intermediatesPEM,
            names: names,
            time: time
        )
        return store.withLock { store in
            do throws(CryptographyError) {
                return try store.judge(question)
            } catch {
                return .malformed
            }
        }
    }
}
