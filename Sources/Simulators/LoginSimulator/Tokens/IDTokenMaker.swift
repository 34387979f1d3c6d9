import Cryptography
import OpenID
import Primitives
import StrictJSON

/// Makes an ID token of a simulated provider, with the flaw that a tester wants.
struct IDTokenMaker {
    let face: ProviderFace
    let issuer: String
    let keys: ProviderKeys
    let now: Int64
    let flaw: TokenFlaw?
    /// The client's secret signs where this is set.
    var secret: String?

    /// What a token is about.
    struct Subject {
        let client: SimulatedClient
        let user: SimulatedUser
        let nonce: String?
        /// When the user logged in, where the request asked for it.
        let loggedInAt: Int64?
        var accessToken: String?
        var code: String?
    }

    /// A token.
    func make(_ subject: Subject) throws(CryptographyError) -> String {
        let algorithm = secret == nil ? face.algorithm : "HS256"
        var claims = claims(subject, algorithm)
        if flaw == .claimTwice { claims.append(JSONMember("sub", .string(subject.user.subject))) }
        // As the vendor writes it: each slash is escaped.
        let payload = JSONValue.object(claims).description.replacing("/", with: "\\/")
        let header = try header(algorithm)
        var parts = [Base64URL.encode(header.bytes), Base64URL.encode(Array(payload.utf8))]
        let signature = try sign(Array(parts.joined(separator: ".").utf8), subject.client)
        parts.append(Base64URL.encode(flaw == .signatureCut ? Array(signature.dropLast()) : signature))
        if flaw == .padded { parts[2] += "=" }
        return parts.joined(separator: ".")
    }

    private func claims(_ subject: Subject, _ algorithm: String) -> [JSONMember] {
        var members = [JSONMember("iss", .string(ownIssuer)), JSONMember("sub", .string(ownSubject(subject.user)))]
        members.append(JSONMember("aud", audience(subject.client.id)))
        if flaw == .partyOther || flaw == .audienceExtra || face.namesParty {
            members.append(JSONMember("azp", .string(flaw == .partyOther ? "other-client" : subject.client.id)))
        }
        let issued = flaw == .issuedLongAgo ? now - 3_600 : flaw == .issuedAhead ? now + 3_600 : now
        let end = flaw == .expired ? now - 3_600 : issued + face.idTokenLife
        members += [JSONMember("exp", JSONValue(Int(end))), JSONMember("iat", JSONValue(Int(issued)))]
        if let time = subject.loggedInAt, flaw != .loginAbsent {
            members.append(JSONMember("auth_time", JSONValue(Int(flaw == .loginLongAgo ? time - 1_000_000 : time))))
        }
        if let nonce = subject.nonce, flaw != .nonceAbsent {
            members.append(JSONMember("nonce", .string(flaw == .nonceOther ? nonce + "x" : nonce)))
        }
        members.append(JSONMember("amr", ["pwd"]))
        let hash = { (text: String, isWrong: Bool) in
            JSONValue(TokenHash.make(of: isWrong ? text + "x" : text, algorithm: algorithm))
        }
        if let token = subject.accessToken {
            members.append(JSONMember("at_hash", hash(token, flaw == .accessTokenHash)))
        }
        if let code = subject.code { members.append(JSONMember("c_hash", hash(code, flaw == .codeHash))) }
        return members
    }

    private var ownIssuer: String {
        switch flaw {
        case .issuerOther: "https://other.example"
        case .issuerSlash: issuer + "/"
        default: issuer
        }
    }

    private func ownSubject(_ user: SimulatedUser) -> String {
        switch flaw {
        case .subjectOther: "SOMEONEELSE000000000000001"
        case .subjectEmpty: ""
        default: user.subject
        }
    }

    private func audience(_ client: String) -> JSONValue {
        switch flaw {
        case .audienceOther: ["other-client"]
        case .audienceExtra: [.string(client), "other-client"]
        case .audienceEmpty: []
        default: face.hasAudienceList ? [.string(client)] : .string(client)
        }
    }

    private func header(_ algorithm: String) throws(CryptographyError) -> JSONValue {
        let named: String =
            switch flaw {
            case .algorithmNone: "none"
            case .secretOfPublicKey, .secretOfClient: "HS256"
            default: algorithm
            }
        var members = [JSONMember("typ", "JWT"), JSONMember("alg", .string(named))]
        if secret == nil, flaw != .keyAbsent {
            let own = keys.signer(face.algorithm)?.id ?? ""
            let other = keys.published(face.algorithm).first { $0.id.octets != own.octets }?.id ?? own
            let id = flaw == .keyUnknown ? String(repeating: "0", count: 32) : flaw == .keyOther ? other : own
            members.append(JSONMember("kid", .string(id)))
        }
        switch flaw {
        case .critical: members += [JSONMember("crit", ["exp"]), JSONMember("exp", JSONValue(Int(now)))]
        case .keyInside: members.append(JSONMember("jwk", try ProviderKey.rsa().value()))
        case .keyElsewhere: members.append(JSONMember("jku", .string(issuer + "/attacker/jwks")))
        default: break
        }
        return .object(members)
    }

    private func sign(_ text: [UInt8], _ client: SimulatedClient) throws(CryptographyError) -> [UInt8] {
        guard let key = keys.signer(face.algorithm) else { return [] }
        switch flaw {
        case .algorithmNone: return []
        case .secretOfPublicKey: return try HMACSHA256.tag(of: text, key: key.publicPEM).bytes
        case .secretOfClient: return try HMACSHA256.tag(of: text, key: Array((client.secret ?? "").utf8)).bytes
        case .keyInside, .keyElsewhere: return try ProviderKey.rsa().sign(text)
        default: break
        }
        if let secret { return try HMACSHA256.tag(of: text, key: Array(secret.utf8)).bytes }
        return try key.sign(text)
    }
}
