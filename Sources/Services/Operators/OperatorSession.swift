import Cryptography
import HTTPCore
package import Primitives
import Web

/// When sessions of the staff end.
struct OperatorSessionTimes: Sendable {
    /// Without a request.
    let idle: Duration
    /// In any case.
    let absolute: Duration
}

/// The session of a person who is signed in, as one request finds it.
package struct OperatorSession: Sendable {
    /// Names it on pages and in records; opens nothing.
    package let id: UUIDBytes
    /// Of the person.
    package let name: String
    /// What the person may do.
    package let role: OperatorRole
    /// What the last change came to, to be shown once.
    let notice: String?
    let token: OperatorToken
}

/// What the cookie of a session holds: 32 random bytes in base64url; the database has their hash.
struct OperatorToken: Sendable, CustomStringConvertible, CustomReflectable {
    private let text: Secret<String>

    static let characterCount = 43

    /// A token that nobody has seen.
    static func make(random: any RandomSource) -> OperatorToken {
        OperatorToken(text: Secret(Base64URL.encode(random.bytes(32))))
    }

    private init(text: Secret<String>) { self.text = text }

    /// The token of a cookie; `nil` for another form.
    init?(_ value: Span<UInt8>) {
        guard value.count == OperatorToken.characterCount, Base64URL.decode(value) != nil else { return nil }
        text = Secret(value.text)
    }

    /// For the cookie.
    var cookieValue: String { text.reveal() }

    /// What the database knows it by.
    var hash: Digest32 { SHA256.digest(of: Array(text.reveal().utf8)) }

    /// What every form of the session has to show; another site cannot know it, and it opens nothing without the cookie.
    var formWord: String {
        Base64URL.encode(SHA256.digest(of: Array("sallyport operator form 1 \(text.reveal())".utf8)).bytes)
    }

    /// Whether a form shows the word.
    func admits(_ word: String?) -> Bool {
        let (shown, own) = (Array((word ?? "").utf8), Array(formWord.utf8))
        return constantTimeEqual(shown.span, own.span)
    }

    var description: String { "<token>" }

    var customMirror: Mirror { Mirror(self, children: []) }
}

/// The cookie of a session: bound to the host where browsers come over TLS.
struct OperatorCookie: Sendable {
    private let isSecure: Bool
    private let life: Duration

    /// Over TLS, and in clear.
    static let names = ["__Host-operator", "sallyport_operator"]

    init(isSecure: Bool, life: Duration) {
        self.isSecure = isSecure
        self.life = life
    }

    var name: String { isSecure ? OperatorCookie.names[0] : OperatorCookie.names[1] }

    /// Over plain HTTP to this machine a cookie with `Secure` would not be kept by every browser.
    private func cookie(_ value: String) -> SetCookie? {
        SetCookie(
            name,
            value,
            path: "/",
            flags: isSecure ? [.secure, .httpOnly] : [.httpOnly],
            sameSite: .strict,
            maxAge: Int(life.components.seconds)
        )
    }

    /// Has a browser keep a token.
    func set(_ token: OperatorToken, on response: inout HTTPResponse) {
        if let cookie = cookie(token.cookieValue) { response.set(cookie) }
    }

    /// Has a browser forget what it keeps.
    func clear(on response: inout HTTPResponse) {
        if let cookie = cookie("") { response.set(cookie.cleared) }
    }

    /// The token that a request brings.
    ///
    /// - Throws: `invalid_request` for a cookie of another form, or two of them.
    func token(_ request: HTTPRequest) throws(Failure) -> OperatorToken? {
        try request.cookie(name) { OperatorToken($0) }
    }
}
