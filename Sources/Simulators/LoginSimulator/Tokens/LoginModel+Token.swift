import Cryptography
import HTTPCore
import JOSE
import OpenID
import Primitives
import SimulatorCore
import StrictJSON

// The token endpoint: judges who asks and with what, and gives tokens.

extension LoginModel {
    /// A refusal of the token endpoint, as its error's word.
    private struct TokenError: Error {
        let status: Int
        let error: String
        let description: String

        init(_ error: String, _ description: String, status: Int = 400) {
            (self.error, self.description, self.status) = (error, description, status)
        }

        var answer: SimulatorAnswer {
            .json(
                status,
                ["error": .string(error), "error_description": .string(description), "error_code": 1000],
                status == 401 ? [("www-authenticate", "Basic realm=\"simulator\"")] : []
            )
        }
    }

    /// Answers a client's server.
    mutating func token(_ face: ProviderFace, _ request: SimulatorRequest, _ entry: inout LoginEntry) -> SimulatorAnswer
    {
        guard request.method.octets == "POST" else { return SimulatorAnswer(405, [("allow", "POST")]) }
        do throws(TokenError) {
            guard request.isForm, let form = try? HTTPParameters(request.body.span), !form.hasRepeatedName else {
                throw TokenError("invalid_request", "no form")
            }
            entry.note(form)
            let client = try authenticate(face, request, form)
            switch LoginModel.value("grant_type", form)?.octets {
            case "authorization_code": return try exchange(face, client, form)
            case "refresh_token": return try refresh(face, client, form)
            default: throw TokenError("unsupported_grant_type", "grant_type")
            }
        } catch {
            return error.answer
        }
    }

    private static func value(_ name: String, _ form: HTTPParameters) -> String? {
        guard let text = try? form.value(name), !text.isEmpty else { return nil }
        return text
    }

    /// The client of a request: by a header, by the form, or one without a secret.
    private func authenticate(
        _ face: ProviderFace,
        _ request: SimulatorRequest,
        _ form: HTTPParameters
    ) throws(TokenError) -> SimulatorClientProof {
        let shown = LoginModel.value("client_secret", form)
        var id = LoginModel.value("client_id", form)
        var secret = shown
        if let field = request.first("authorization") {
            guard shown == nil else { throw TokenError("invalid_request", "two ways of authentication") }
            guard let pair = SimulatorClientProof.basic(field) else {
                throw TokenError("invalid_client", "authorization", status: 401)
            }
            (id, secret) = (pair.id, pair.secret)
        }
        guard let id, let client = client(id) else { throw TokenError("invalid_client", "client_id", status: 401) }
        let isGood =
            face.signsClientSecret && client.secret != nil
            ? SimulatorClientProof.isSigned(secret, for: client, issuer(face), at: now.seconds)
            : secret?.octets == client.secret?.octets
        guard isGood else { throw TokenError("invalid_client", "client_secret", status: 401) }
        return SimulatorClientProof(client: client)
    }

    private mutating func exchange(
        _ face: ProviderFace,
        _ proof: SimulatorClientProof,
        _ form: HTTPParameters
    ) throws(TokenError) -> SimulatorAnswer {
        guard let code = LoginModel.value("code", form) else { throw TokenError("invalid_request", "code is missing") }
        let grant: LoginGrant
        do throws(ProviderGrants.Refusal) {
            let endsFirst = state.switches.endsTokensOfTwice
            grant = try state.grants.use(code: code, at: now.seconds, endsFirst: endsFirst)
        } catch {
            throw TokenError("invalid_grant", "code: \(error)")
        }
        guard grant.client.octets == proof.client.id.octets, grant.face.octets == face.name.octets else {
            throw TokenError("invalid_grant", "code of another client")
        }
        guard LoginModel.value("redirect_uri", form)?.octets == grant.redirect.octets else {
            throw TokenError("invalid_grant", "redirect_uri")
        }
        let verifier = LoginModel.value("code_verifier", form)
        if let challenge = grant.challenge {
            guard let verifier, (try? ProofKey.check(verifier, against: challenge, method: "S256")) != nil else {
                throw TokenError("invalid_grant", "code_verifier")
            }
        } else if verifier != nil {
            throw TokenError("invalid_grant", "code_verifier without challenge")
        }
        let access = (0..<8).map { _ in mint.token() }.joined()
        let had = state.grants.refreshToken(grant.user, grant.client, grant.face, at: now.seconds)
        let refresh = grant.wantsRefresh ? had ?? mint.token() + mint.token() : nil
        state.grants.add(access: access, refresh: refresh, of: code, grant, at: now.seconds)
        let bySecret = face.signsWithSecret && LoginModel.value("id_token_key_type", form)?.octets != "JWK"
        let flaw = takeFlaw(.back)
        let idToken = idToken(grant, flaw, code: nil, access: access, bySecret: bySecret)
        guard let idToken else { throw TokenError("server_error", "no key", status: 500) }
        return tokens(access, refresh, idToken)
    }

    private mutating func refresh(
        _ face: ProviderFace,
        _ proof: SimulatorClientProof,
        _ form: HTTPParameters
    ) throws(TokenError) -> SimulatorAnswer {
        guard let token = LoginModel.value("refresh_token", form),
            let grant = try? state.grants.grant(refresh: token, at: now.seconds),
            grant.client.octets == proof.client.id.octets, grant.face.octets == face.name.octets
        else { throw TokenError("invalid_grant", "refresh_token") }
        let access = mint.token() + mint.token()
        state.grants.add(access: access, refresh: nil, of: nil, grant, at: now.seconds)
        return tokens(access, nil, nil)
    }

    /// The answer with tokens, and with the flaw that a tester wants.
    private mutating func tokens(_ access: String, _ refresh: String?, _ idToken: String?) -> SimulatorAnswer {
        let flaw = takeFlaw(.token)
        var members: [JSONMember] = [
            JSONMember("access_token", .string(access)),
            JSONMember("token_type", .string(flaw == .otherType ? "mac" : "Bearer")),
            JSONMember("expires_in", flaw == .lifeAsText ? "3600" : 3_600),
        ]
        if let refresh { members.append(JSONMember("refresh_token", .string(refresh))) }
        if let idToken, flaw != .noIDToken { members.append(JSONMember("id_token", .string(idToken))) }
        switch flaw {
        case .memberTwice: members.append(JSONMember("access_token", "another"))
        case .errorWithSuccess: members = [JSONMember("error", "invalid_grant")]
        case .tooLong: members.append(JSONMember("more", .string(String(repeating: "x", count: 300_000))))
        default: break
        }
        return .json(200, .object(members), [("pragma", "no-cache")])
    }
}

/// How a client has shown who it is.
struct SimulatorClientProof {
    let client: SimulatedClient

    /// Id and secret of a header, each as a form has it.
    static func basic(_ field: String) -> (id: String, secret: String)? {
        guard field.octets.lowercase.octets.starts(with: "basic "),
            let pair = Base64.decode(String(Substring(field.utf8.dropFirst(6))))
        else { return nil }
        let halves = String(decoding: pair, as: UTF8.self).octets.parts(between: UInt8(ascii: ":"), limit: 1)
        let texts = halves.compactMap { half -> String? in
            let fields = try? HTTPParameters(Array("a=\(half)".utf8).span)
            return try? fields?.value("a")
        }
        return texts.count == 2 ? (texts[0], texts[1]) : nil
    }

    /// Whether a secret is a text that the client's key has signed for this provider: Apple's form.
    ///
    /// The client's registered secret is the PEM of its public key.
    static func isSigned(_ secret: String?, for client: SimulatedClient, _ issuer: String, at now: Int64) -> Bool {
        guard let secret, let text = try? CompactJWS(secret), let pem = client.secret,
            let key = try? JWSVerificationKey(pem: Array(pem.utf8)),
            (try? text.verify(with: key, allowing: [.es256])) != nil,
            let issued = text.payload["iat"]?.integer, let end = text.payload["exp"]?.integer
        else { return false }
        // Half a year at most.
        return text.payload["aud"]?.text?.octets == issuer.octets
            && text.payload["sub"]?.text?.octets == client.id.octets
            && text.payload["iss"]?.text != nil && Int64(issued) <= now + 60 && Int64(end) > now
            && end - issued <= 15_777_000
    }
}
