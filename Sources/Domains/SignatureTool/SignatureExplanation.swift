package import AmazonPay
package import Cryptography
package import Primitives

/// What the signature of a request stands for, whether it is good, and what is likely to be wrong with it.
package struct SignatureExplanation: Sendable {
    /// What the service makes of the request: six parts joined by line feeds.
    package let canonicalRequest: String
    /// SHA-256 of the canonical request, 64 hexadecimal digits.
    package let canonicalHash: String
    /// What the key is given: the label and the hash.
    package let stringToSign: String
    /// What became of the signature.
    package let verdict: SignatureVerdict
    /// Where the text that the signer signed parts from the service's; empty where that text is not known.
    package let differences: [TextDifference]
    /// What to look at, the likeliest first.
    package let hints: [SignatureHint]

    /// Whom a request is checked against.
    package struct Signer: Sendable {
        /// The merchant's key; without one nothing is verified.
        package let key: RSAPublicKey?
        /// The key's name; `nil` to take the one in the request.
        package let keyID: String?

        /// A signer.
        package init(key: RSAPublicKey?, keyID: String? = nil) {
            self.key = key
            self.keyID = keyID
        }
    }

    /// Explains a request.
    ///
    /// - Parameters:
    ///   - request: As it was sent, with its `Authorization` field.
    ///   - now: The service's clock. A date long past is not held against a request that was recorded.
    ///   - expected: The canonical request or the string to sign as the signing program made it, to be compared.
    package init(request: SignedRequest, signer: Signer, now: WallTime, expected: [UInt8]? = nil) {
        let authorization = request.value("authorization").flatMap { AuthorizationField($0) }
        let label = authorization?.algorithm ?? .pssV2
        let list = authorization?.signedHeaders ?? request.defaultHeaders
        let octets = request.canonicalOctets(signedHeaders: list)
        let string = StringToSign(for: octets, label)
        let finding = authorization.flatMap { field in
            signer.key.map { key in
                SignatureTrial(signature: field.signature, label: label, key: key).run(octets) {
                    request.candidates(list)
                }
            }
        }
        let refusal = SignatureExplanation.refusal(of: request, signer, now)
        canonicalRequest = String(decoding: octets, as: UTF8.self)
        canonicalHash = SHA256.digest(of: octets).hexadecimal
        stringToSign = string.text
        verdict = refusal.map { .malformed($0) } ?? finding?.verdict ?? .unchecked
        let parts = RequestParts(list: list)
        let theirs = expected ?? finding?.signed
        let isString = theirs?.starts(with: Array("AMZN-PAY-".utf8)) ?? false
        let difference = theirs.flatMap { text in
            isString
                ? TextDifference.first(Array(string.text.utf8), text) { $0 == 1 ? "the label" : "the hash" }
                : TextDifference.first(octets, text, part: parts.name)
        }
        let inBody = expected != nil ? nil : finding?.signedBody
        differences = [difference, inBody.flatMap { TextDifference.first(request.body, $0) { _ in "the body" } }]
            .compactMap(\.self)
        let advice = RequestAdvice(request: request, authorization: authorization, keyID: signer.keyID, now: now)
        hints = SignatureExplanation.hints(refusal, finding) + advice.hints
    }

    /// The refusal that comes before the signature is looked at, if any.
    private static func refusal(of request: SignedRequest, _ signer: Signer, _ now: WallTime) -> RequestRefusal? {
        let sent = request.value("authorization").flatMap { AuthorizationField($0)?.publicKeyID }
        var verifier = RequestVerifier(keys: [:])
        if let key = signer.key, let name = signer.keyID ?? sent { verifier.keys[name] = RequestVerifier.Key(key) }
        // A request that was written down yesterday is explained as if it came in time.
        verifier.behind = .seconds(100 * 365 * 86_400)
        do throws(RequestRefusal) {
            _ = try verifier.verify(request, now: now)
            return nil
        } catch {
            let isTheKeys = error.reason == .invalidAuthentication && (signer.key == nil || signer.keyID == nil)
            return error.reason == .invalidRequestSignature || isTheKeys ? nil : error
        }
    }

    private static func hints(_ refusal: RequestRefusal?, _ finding: SignatureTrial.Finding?) -> [SignatureHint] {
        var hints: [SignatureHint] = []
        if let refusal {
            hints.append(SignatureHint("refused", "\(refusal.status) \(refusal.reason): \(refusal.message)"))
            if finding?.verdict == .good {
                hints.append(SignatureHint("signature_good", "the signature itself is good"))
            }
        }
        guard let finding else { return hints }
        return hints + finding.verdict.advice + finding.hints
    }
}

extension SignatureVerdict {
    /// What to do about it.
    var advice: [SignatureHint] {
        switch self {
        case .good, .malformed, .unchecked: []
        case .goodUnder(_, let label):
            [
                SignatureHint(
                    "label_and_salt",
                    "label and salt length disagree: the string to sign begins with \(label.label); "
                        + SigningAlgorithm.allCases.map { "\($0.label) has a salt of \($0.saltLength) octets" }
                        .joined(separator: ", ")
                )
            ]
        case .goodFor(let variant): [SignatureHint(variant.rawValue, variant.advice)]
        case .otherText:
            [
                SignatureHint(
                    "other_text",
                    "the key is the right one, but it signed something else: compare the text above with what your program "
                        + "signs, or give that in a file with --expect"
                )
            ]
        case .wrongKey:
            [
                SignatureHint(
                    "wrong_key",
                    "this key did not make the signature: a key of another environment or account, a key file that is not "
                        + "the pair of the public key id, or a signature that was altered on its way"
                )
            ]
        case .damaged(let why): [SignatureHint("damaged", "this is no signature: \(why)")]
        }
    }
}

/// Names the lines of a canonical request.
private struct RequestParts {
    let names: [String]

    init(list: String) {
        let headers = list.split(separator: ";", omittingEmptySubsequences: false).map {
            "the header \($0.lowercased())"
        }
        names =
            ["the method", "the path", "the query"] + headers + [
                "the empty line behind the headers, each of which has its own line feed", "the list of signed headers",
                "the hash of the body",
            ]
    }

    func name(_ line: Int) -> String {
        names.indices.contains(line - 1) ? names[line - 1] : "behind the last line"
    }
}
