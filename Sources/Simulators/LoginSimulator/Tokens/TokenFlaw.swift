/// What is wrong on purpose with an answer of a simulated provider, beside what any server does wrong.
enum TokenFlaw: String, Sendable, CaseIterable {
    // The answer of the authorization endpoint.
    case stateDropped = "state-dropped"
    case stateChanged = "state-changed"
    case stateTwice = "state-twice"
    case stateEmpty = "state-empty"
    case issuerWrong = "iss-wrong"
    case wrongChannel = "wrong-channel"
    case emptyPart = "empty-part"
    case codeMissing = "code-missing"
    case errorAndCode = "error-and-code"
    // The answer of the token endpoint.
    case noIDToken = "no-id-token"
    case otherType = "token-type-mac"
    case lifeAsText = "expires-in-text"
    case memberTwice = "member-twice"
    case errorWithSuccess = "error-with-200"
    case tooLong = "too-long"
    // The ID token.
    case issuerOther = "id-iss-other"
    case issuerSlash = "id-iss-slash"
    case audienceOther = "id-aud-other"
    case audienceExtra = "id-aud-extra"
    case audienceEmpty = "id-aud-empty"
    case partyOther = "id-azp-other"
    case subjectOther = "id-sub-other"
    case subjectEmpty = "id-sub-empty"
    case nonceOther = "id-nonce-other"
    case nonceAbsent = "id-nonce-absent"
    case accessTokenHash = "id-at-hash"
    case codeHash = "id-c-hash"
    case expired = "id-expired"
    case issuedLongAgo = "id-iat-old"
    case issuedAhead = "id-iat-ahead"
    case loginAbsent = "id-auth-time-absent"
    case loginLongAgo = "id-auth-time-old"
    case algorithmNone = "id-alg-none"
    case secretOfPublicKey = "id-hs256-public-key"
    case secretOfClient = "id-hs256-secret"
    case keyUnknown = "id-kid-unknown"
    case keyAbsent = "id-kid-absent"
    case keyOther = "id-kid-other"
    case keyInside = "id-jwk"
    case keyElsewhere = "id-jku"
    case critical = "id-crit"
    case signatureCut = "id-signature-cut"
    case padded = "id-base64-padded"
    case claimTwice = "id-claim-twice"
    // Documents and claims.
    case keysComma = "keys-comma"
    case issuerFlip = "issuer-flip"
    case plainEndpoint = "discovery-http"
    case innerEndpoint = "discovery-inner"
    case memberMissing = "discovery-member-missing"
    case claimsOfOther = "userinfo-sub-other"
    case notGranted = "userinfo-not-granted"
    case oldForm = "userinfo-old-form"

    /// Where it belongs, as the control interface names it.
    enum Place: String, Sendable, CaseIterable {
        case authorization, token, front, back, keys, discovery, userinfo
    }

    /// Whether it can be at a place; those of ID tokens at both places that ID tokens come from.
    func belongs(_ place: Place) -> Bool {
        switch self {
        case .stateDropped, .stateChanged, .stateTwice, .stateEmpty, .issuerWrong, .wrongChannel, .emptyPart,
            .codeMissing, .errorAndCode:
            place == .authorization
        case .noIDToken, .otherType, .lifeAsText, .memberTwice, .errorWithSuccess, .tooLong: place == .token
        case .keysComma: place == .keys
        case .issuerFlip, .plainEndpoint, .innerEndpoint, .memberMissing: place == .discovery
        case .claimsOfOther, .notGranted, .oldForm: place == .userinfo
        default: place == .front || place == .back
        }
    }
}

/// A flaw that waits for its answer.
struct WaitingFlaw: Sendable {
    let place: TokenFlaw.Place
    let flaw: TokenFlaw
    var count: Int
}
