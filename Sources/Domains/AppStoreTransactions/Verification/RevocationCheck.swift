package import Cryptography
package import HTTPCore
package import JOSE
package import Primitives

/// Whether the authorities of a text's certificates still stand by them; for texts that are fresh.
///
/// The questions go to addresses in certificates that were verified, and the answers travel in clear: one that is broken says nothing.
package struct RevocationCheck: Sendable {
    /// A question to a responder, and what its answer is judged by.
    package struct Question: Sendable {
        /// Where to ask.
        package let url: HTTPURL
        /// What to post, as `OCSPRequest.mediaType`.
        package let body: [UInt8]
        /// The certificate that it is about.
        package let certificate: X509Certificate
        fileprivate let issuer: X509Certificate
    }

    /// The questions; the check is passed once each has an answer that counts.
    package let questions: [Question]

    /// The check of the certificates of a text.
    ///
    /// - Throws: `certificate` where one does not say whom to ask.
    package init(_ path: VerifiedPath) throws(SignedTextRefusal) {
        var questions: [Question] = []
        for (certificate, issuer) in [(path.intermediate, path.root), (path.leaf, path.intermediate)] {
            guard let url = certificate.responder else { throw .certificate(.noResponder) }
            guard let body = try? OCSPRequest.about(certificate, issuer: issuer) else {
                throw .revocationUnknown(.noAnswer)
            }
            questions.append(Question(url: url, body: body, certificate: certificate, issuer: issuer))
        }
        self.questions = questions
    }

    /// Judges the answer to a question.
    ///
    /// - Parameter response: `nil` where none came.
    /// - Returns: Until when the answer counts.
    /// - Throws: `certificate` where it is revoked; `revocationUnknown` where another try may get a better answer.
    package func verify(
        _ response: InboundResponse?,
        to question: Question,
        at now: WallTime
    ) throws(SignedTextRefusal) -> WallTime {
        guard let response, response.status == 200 else { throw .revocationUnknown(.noAnswer) }
        switch OCSPAnswer.status(response.body, of: question.certificate, issuer: question.issuer, at: now) {
        case .good(let until): return until
        case .revoked: throw .certificate(.revoked)
        case .undecided: throw .revocationUnknown(.undecided)
        }
    }
}
