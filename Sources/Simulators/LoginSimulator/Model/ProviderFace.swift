import OpenID
import Primitives

/// One provider as the simulator plays it: where it answers, and in what it differs from the others.
struct ProviderFace: Sendable {
    /// The word of the path and of the control interface.
    let name: String
    /// Begins every path of the provider.
    let base: String
    /// Where users are sent, behind the base; the same for the vendor's own app, where there is one.
    var authorization = ["/authorization"]
    var token = "/token"
    var keys = "/jwks"
    /// Keys in PEM by name; `nil` where there is no such document.
    var keyMap: String?
    /// Where claims are read; `nil` where there is no such place.
    var userInfo: String? = "/userinfo"
    /// Algorithms that its discovery document names.
    var algorithm = "RS256"
    /// Whether ID tokens are signed with the client's secret unless the request asks for a key, as LINE does.
    var signsWithSecret = false
    /// Whether `aud` is a list.
    var hasAudienceList = false
    /// Whether tokens say which client asked.
    var namesParty = false
    /// Whether an answer comes as a form once more than the user's id is asked for.
    var forcesFormPost = false
    /// Whether the client's secret is a text that it signs.
    var signsClientSecret = false
    /// Whether a refresh token is given only where `access_type=offline` asks for it.
    var refreshesOffline = false
    /// Whether `bail` decides what a user who declines sees.
    var knowsBail = false
    /// The error of a user who declines.
    var declined = "access_denied"
    /// Seconds that an ID token lives.
    var idTokenLife: Int64 = 3_600
    /// Whether `email_verified` is a text.
    var hasVerifiedAsText = false

    init(_ name: String, base: String? = nil) {
        self.name = name
        self.base = base ?? "/op/" + name
    }

    /// Yahoo! JAPAN ID, LINE, Google, Apple, and one without peculiarities.
    static let all: [ProviderFace] = {
        var yahoo = ProviderFace("yahoo", base: "/yconnect/v2")
        yahoo.authorization = ["/authorization", "/appauth"]
        (yahoo.keyMap, yahoo.userInfo, yahoo.hasAudienceList) = ("/public-keys", "/attribute", true)
        (yahoo.knowsBail, yahoo.idTokenLife) = (true, 28 * 86_400)
        var line = ProviderFace("line")
        (line.algorithm, line.signsWithSecret) = ("ES256", true)
        var google = ProviderFace("google")
        (google.namesParty, google.refreshesOffline) = (true, true)
        var apple = ProviderFace("apple")
        (apple.userInfo, apple.forcesFormPost, apple.signsClientSecret) = (nil, true, true)
        (apple.declined, apple.hasVerifiedAsText) = ("user_cancelled_authorize", true)
        return [yahoo, line, google, apple, ProviderFace("plain")]
    }()

    /// What of a provider a path names.
    enum Place: Sendable {
        case discovery, authorization, step, token, keys, keyMap, userInfo
    }

    /// The provider and the place of a path, or `nil`.
    static func find(_ path: String) -> (face: ProviderFace, place: Place)? {
        for face in all where path.octets.starts(with: (face.base + "/").octets) {
            let rest = String(path.utf8.dropFirst(face.base.utf8.count)) ?? ""
            if let place = face.place(rest) { return (face, place) }
        }
        return nil
    }

    private func place(_ rest: String) -> Place? {
        switch rest.octets {
        case "/.well-known/openid-configuration": .discovery
        case "/step": .step
        case let path where authorization.contains(where: { $0.octets == path }): .authorization
        case let path where path == token.octets: .token
        case let path where path == keys.octets: .keys
        case let path where path == keyMap?.octets: .keyMap
        case let path where path == userInfo?.octets: .userInfo
        default: nil
        }
    }
}
