import AmazonPay
import Cryptography
import Primitives

/// A text that a mistaken signer may have signed.
struct SignatureCandidate {
    /// How a signer gets from the text to what the key is given.
    enum Wrapping: CaseIterable {
        case string
        case direct
        case twice
        case upperCase
        case hashOnly

        var variant: SignatureVariant? {
            switch self {
            case .string: nil
            case .direct: .signedDirectly
            case .twice: .hashedTwice
            case .upperCase: .upperCaseHash
            case .hashOnly: .hashOnly
            }
        }
    }

    let variant: SignatureVariant
    /// The canonical request or the payload.
    let octets: [UInt8]
    /// The body inside the canonical request, where that is what is different.
    let body: [UInt8]?

    init(_ variant: SignatureVariant, _ octets: [UInt8], body: [UInt8]? = nil) {
        self.variant = variant
        self.octets = octets
        self.body = body
    }

    /// What the key is given.
    static func signed(_ octets: [UInt8], _ wrapping: Wrapping, _ algorithm: SigningAlgorithm) -> [[UInt8]] {
        let string = StringToSign(for: octets, algorithm)
        let hash = SHA256.digest(of: octets).hexadecimal
        switch wrapping {
        case .string: return [Array(string.text.utf8)]
        case .direct: return [octets]
        case .twice:
            let again = SHA256.digest(of: Array(string.text.utf8)).bytes
            return [Array((algorithm.label + "\n" + Hex.encode(again)).utf8), Array(Hex.encode(again).utf8), again]
        case .upperCase: return [Array((algorithm.label + "\n" + hash.uppercased()).utf8)]
        case .hashOnly: return [Array(hash.utf8), SHA256.digest(of: octets).bytes]
        }
    }

    /// The spellings of one JSON text, each only where it changes something.
    static func spellings(of text: [UInt8]) -> [SignatureCandidate] {
        let all: [(SignatureVariant, [UInt8]?)] = [
            (.finalBlanks, JSONSpelling.withoutFinalBlanks(text)),
            (.compactBody, JSONSpelling.compact(text)),
            (.unescapedSlashes, JSONSpelling.unescapedSlashes(text)),
            (.backslashesStripped, JSONSpelling.withoutBackslashes(text)),
            (.escapedSlashes, JSONSpelling.escapedSlashes(text)),
            (.unescapedCharacters, JSONSpelling.unescapedCharacters(text)),
            (.escapedCharacters, JSONSpelling.escapedCharacters(text)),
            (.escapedBoth, JSONSpelling.escapedCharacters(JSONSpelling.escapedSlashes(text))),
            (.htmlReferences, JSONSpelling.withoutReferences(text)),
            (.sortedKeys, JSONKeyOrder.sorted(text)),
            (.spacedBody, JSONSpelling.spaced(text)),
            (.addedLineFeed, text + [UInt8(ascii: "\n")]),
        ]
        return all.compactMap { variant, octets in
            octets.flatMap { $0 == text ? nil : SignatureCandidate(variant, $0) }
        }
    }
}

extension SignedRequest {
    /// The canonical requests of signers with one mistake each.
    ///
    /// - Parameter list: The list of signed headers as it came.
    /// - Returns: Only those that differ from the right one.
    func candidates(_ list: String) -> [SignatureCandidate] {
        let own = canonicalOctets(signedHeaders: list)
        let all = bodyCandidates(list) + targetCandidates(list) + headerCandidates(list) + formCandidates(own, list)
        return all.filter { $0.octets != own }
    }

    private func with(_ change: (inout SignedRequest) -> Void) -> SignedRequest {
        var copy = self
        change(&copy)
        return copy
    }

    private func bodyCandidates(_ list: String) -> [SignatureCandidate] {
        let other = SignatureCandidate.spellings(of: body) + [SignatureCandidate(.bodyLeftOut, [])]
        return body.isEmpty
            ? []
            : other.map { candidate in
                let request = with { $0.body = candidate.octets }
                let octets = request.canonicalOctets(signedHeaders: list)
                return SignatureCandidate(candidate.variant, octets, body: candidate.octets)
            }
    }

    private func targetCandidates(_ list: String) -> [SignatureCandidate] {
        var found: [SignatureCandidate] = []
        func add(_ variant: SignatureVariant, _ change: (inout SignedRequest) -> Void) {
            found.append(SignatureCandidate(variant, with(change).canonicalOctets(signedHeaders: list)))
        }
        if path.hasSuffix("/") {
            add(.noTrailingSlash) { request in while request.path.hasSuffix("/") { request.path.removeLast() } }
        } else {
            add(.trailingSlash) { $0.path += "/" }
        }
        let plain = ["/sandbox", "/live"].first { path.hasPrefix($0 + "/") }.map { String(path.dropFirst($0.count)) }
        for other in [plain ?? path, "/sandbox" + (plain ?? path), "/live" + (plain ?? path)] {
            add(.otherEnvironment) { $0.path = other }
        }
        add(.queryLeftOut) { $0.query = "" }
        for other in ["GET", "POST", "PATCH", "PUT", "DELETE"] { add(.otherMethod) { $0.method = other } }
        return found
    }

    private func headerCandidates(_ list: String) -> [SignatureCandidate] {
        let names = list.split(separator: ";").map(String.init)
        let spelled = names.map { name in fields.first { $0.0.lowercased() == name.lowercased() }?.0 ?? name }
        var found = [
            (SignatureVariant.lowerCaseList, list.lowercased()),
            (.sortedHeaders, names.sorted { $0.lowercased() < $1.lowercased() }.joined(separator: ";")),
            (.fieldSpelling, spelled.joined(separator: ";")),
        ].map { SignatureCandidate($0.0, canonicalOctets(signedHeaders: $0.1)) }
        for (variant, name, values) in [
            (SignatureVariant.otherRegion, "x-amz-pay-region", SignedRequest.regions),
            (.otherHost, "x-amz-pay-host", AmazonPayRegion.allCases.map(\.apiHost)),
        ] {
            for value in values {
                let request = with { request in
                    request.fields.removeAll { $0.0.lowercased() == name }
                    request.fields.append((name, value))
                }
                found.append(SignatureCandidate(variant, request.canonicalOctets(signedHeaders: list)))
            }
        }
        return found
    }

    /// The spellings of regions that client libraries take.
    private static let regions = ["jp", "na", "us", "eu", "de", "uk"].flatMap { [$0, $0.uppercased()] }

    private func formCandidates(_ own: [UInt8], _ list: String) -> [SignatureCandidate] {
        let lines = String(decoding: own, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
            .map(String.init)
        // Method, path, query, the headers, an empty line, the list, the hash.
        guard lines.count >= 6 else { return [] }
        func changed(_ change: (inout [String]) -> Void) -> [UInt8] {
            var copy = lines
            change(&copy)
            return Array(copy.joined(separator: "\n").utf8)
        }
        let names = list.split(separator: ";", omittingEmptySubsequences: false)
        let headers = 3..<(lines.count - 3)
        return [
            SignatureCandidate(.rawPath, changed { $0[1] = path }),
            SignatureCandidate(.rawQuery, changed { $0[2] = query }),
            SignatureCandidate(.noBlankLine, changed { $0.remove(at: lines.count - 3) }),
            SignatureCandidate(.finalLineFeed, own + [UInt8(ascii: "\n")]),
            SignatureCandidate(.carriageReturns, Array(lines.joined(separator: "\r\n").utf8)),
            SignatureCandidate(.upperCaseHash, changed { $0[lines.count - 1] = $0[lines.count - 1].uppercased() }),
            SignatureCandidate(
                .capitalNames,
                changed { lines in
                    for (index, name) in zip(headers, names) { lines[index] = name + ":" + (value(String(name)) ?? "") }
                }
            ),
            SignatureCandidate(
                .rawHeaders,
                changed { lines in
                    for (index, name) in zip(headers, names) {
                        let values = fields.filter { $0.0.lowercased() == name.lowercased() }.map(\.1)
                        lines[index] = name.lowercased() + ":" + values.joined(separator: ",")
                    }
                }
            ),
        ]
    }
}
