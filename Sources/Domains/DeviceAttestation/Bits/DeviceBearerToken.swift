package import Cryptography
import JOSE
package import Primitives
import StrictJSON

/// A token that opens Apple's DeviceCheck service.
///
/// A type of its own, as those of the App Store and of the push service are: none is ever taken where another is sent.
package struct DeviceBearerToken: Sendable {
    /// What follows `Bearer `.
    package let text: Secret<String>
    /// When it was made.
    package let made: WallTime

    /// Whether a token of the present may be shared on; one of the future, after the clock was set back, is not.
    package func isFresh(at now: WallTime, life: Duration) -> Bool { made <= now && now < made + life }
}

/// Makes tokens for Apple's DeviceCheck service.
package struct DeviceBearerTokenMaker: Sendable {
    /// How old a token gets; Apple takes none over an hour.
    package static let lives = Duration.seconds(20 * 60)...Duration.seconds(50 * 60)

    private let signer: JWTSigner
    private let teamID: String
    /// How old its tokens get.
    package let life: Duration

    /// A maker with the key of a team.
    ///
    /// - Parameter life: Held between `lives`.
    package init(key: ES256PrivateKey, keyID: String, teamID: String, life: Duration = .seconds(30 * 60)) {
        signer = JWTSigner(key: key, keyID: keyID, type: nil)
        self.teamID = teamID
        self.life = min(max(life, DeviceBearerTokenMaker.lives.lowerBound), DeviceBearerTokenMaker.lives.upperBound)
    }

    /// A fresh token.
    ///
    /// - Throws: `failed` where OpenSSL refuses.
    package func token(at now: WallTime) throws(CryptographyError) -> DeviceBearerToken {
        let claims: JSONValue = ["iss": .string(teamID), "iat": .number(String(now.seconds))]
        return DeviceBearerToken(text: Secret(try signer.sign(claims: claims)), made: now)
    }
}

/// The token of a process: one for all calls, made anew when it has aged.
///
/// Making takes about 50 µs, so that a lock around it keeps many from making one each. May be used from any thread.
package final class DeviceBearerTokens: Sendable {
    private let state: Lock<State>

    private struct State: Sendable {
        var maker: DeviceBearerTokenMaker
        var current: DeviceBearerToken?
    }

    /// A process without a token yet.
    package init(_ maker: DeviceBearerTokenMaker) { state = Lock(State(maker: maker)) }

    /// The token to send.
    ///
    /// - Throws: `failed` where OpenSSL refuses.
    package func token(at now: WallTime) throws(CryptographyError) -> Secret<String> {
        try state.withLock { (state) throws(CryptographyError) in
            if let current = state.current, current.isFresh(at: now, life: state.maker.life) { return current.text }
            let made = try state.maker.token(at: now)
            state.current = made
            return made.text
        }
    }

    /// Drops a token that Apple has refused; another that was made since stays.
    package func drop(_ refused: Secret<String>) {
        state.withLock { state in
            if state.current?.text.reveal().octets == refused.reveal().octets { state.current = nil }
        }
    }

    /// Takes another key for all tokens from now on.
    package func replace(_ maker: DeviceBearerTokenMaker) { state.withLock { $0 = State(maker: maker) } }

    /// When the token of now was made.
    package var made: WallTime? { state.withLock { $0.current?.made } }
}
