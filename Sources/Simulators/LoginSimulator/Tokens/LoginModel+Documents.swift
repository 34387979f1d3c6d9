import Primitives
import SimulatorCore
import StrictJSON

// What anybody may read of a provider, and what a user's access token opens.

extension LoginModel {
    /// The discovery document.
    mutating func discovery(_ face: ProviderFace) -> SimulatorAnswer {
        let flaw = takeFlaw(.discovery)
        let own = issuer(face)
        if flaw == .issuerFlip {
            return SimulatorAnswer(302, [("location", "https://other.example/.well-known/openid-configuration")])
        }
        let token =
            flaw == .plainEndpoint
            ? "http://op.example/token" : flaw == .innerEndpoint ? "https://10.0.0.1/token" : own + face.token
        var members: [JSONMember] = [
            JSONMember("issuer", .string(own)),
            JSONMember("authorization_endpoint", .string(own + face.authorization[0])),
            JSONMember("token_endpoint", .string(token)), JSONMember("jwks_uri", .string(own + face.keys)),
            JSONMember(
                "response_types_supported",
                ["code", "token", "id_token", "code token", "code id_token", "token id_token", "code token id_token"]
            ),
            JSONMember("subject_types_supported", ["public"]),
            JSONMember("id_token_signing_alg_values_supported", [.string(face.algorithm)]),
            JSONMember("scopes_supported", ["openid", "email", "profile", "address"]),
            JSONMember("token_endpoint_auth_methods_supported", ["client_secret_post", "client_secret_basic"]),
        ]
        if let userInfo = face.userInfo { members.append(JSONMember("userinfo_endpoint", .string(own + userInfo))) }
        if state.switches.announcesProofKey { members.append(JSONMember("code_challenge_methods_supported", ["S256"])) }
        if state.switches.namesIssuer {
            members.append(JSONMember("authorization_response_iss_parameter_supported", true))
        }
        if flaw == .memberMissing { members.removeAll { $0.name == "jwks_uri" } }
        return .json(200, .object(members))
    }

    /// The set of keys.
    mutating func keySet(_ face: ProviderFace) -> SimulatorAnswer {
        let keys = state.keys.published(face.algorithm).compactMap { try? $0.value() }
        let document: JSONValue = ["keys": .array(keys)]
        let text =
            takeFlaw(.keys) == .keysComma ? document.description.replacing("}]", with: "},]") : document.description
        return keyDocument(Array(text.utf8))
    }

    /// The keys in PEM by name.
    func keyMap(_ face: ProviderFace) -> SimulatorAnswer {
        let members = state.keys.published(face.algorithm).map { key in
            let pem = String(decoding: key.publicPEM, as: UTF8.self)
            return JSONMember(
                key.id,
                .string(pem.octets.ends(with: "\n") ? String(pem.unicodeScalars.dropLast()) : pem)
            )
        }
        return keyDocument(JSONValue.object(members).bytes)
    }

    private func keyDocument(_ body: [UInt8]) -> SimulatorAnswer {
        let age = state.keys.maximumAge.map { [("cache-control", "public, max-age=\($0)")] } ?? []
        return SimulatorAnswer(200, [("content-type", "application/json")] + age, body: body)
    }

    /// The claims of the user whose access token it is.
    mutating func userInfo(_ face: ProviderFace, _ request: SimulatorRequest) -> SimulatorAnswer {
        let flaw = takeFlaw(.userinfo)
        func refuse(_ status: Int, _ error: String, _ description: String) -> SimulatorAnswer {
            let scheme = flaw == .oldForm ? "" : "Bearer realm=\"simulator\", "
            let joint = flaw == .oldForm ? " " : ", "
            let field = "\(scheme)error=\"\(error)\"\(joint)error_description=\"\(description)\""
            return SimulatorAnswer(status, [("www-authenticate", field)])
        }
        if flaw == .notGranted { return SimulatorAnswer(403) }
        guard let field = request.first("authorization"), field.octets.lowercase.octets.starts(with: "bearer ") else {
            return refuse(401, "invalid_request", "no access token in the field Authorization")
        }
        let token = String(Substring(field.utf8.dropFirst(7)))
        let grant: LoginGrant
        do throws(ProviderGrants.Refusal) {
            grant = try state.grants.grant(access: token, at: now.seconds)
        } catch {
            return refuse(401, "invalid_token", error == .over ? "expired token" : "invalid token format")
        }
        guard grant.face.octets == face.name.octets,
            let user = SimulatedUser.all.first(where: { $0.name.octets == grant.user.octets })
        else { return refuse(401, "invalid_token", "of another provider") }
        var claims = user.claims(grant.scopes, verifiedAsText: face.hasVerifiedAsText)
        if flaw == .claimsOfOther { claims[0] = JSONMember("sub", "SOMEONEELSE000000000000001") }
        return .json(200, .object(claims))
    }
}
