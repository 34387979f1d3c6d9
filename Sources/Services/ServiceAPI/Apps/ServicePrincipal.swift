package import Primitives
import Web

/// Who has sent a request that was let in, and what shows it.
package enum ServicePrincipal: Sendable {
    /// A merchant's program.
    case program(APIKey, KeyGrant)
    /// An app, for one account.
    case app(AppToken, AppGrant)

    /// The API key or the token.
    package var id: UUIDBytes {
        switch self {
        case .program(_, let grant): grant.id
        case .app(let token, _): token.id
        }
    }

    var isApp: Bool {
        if case .app = self { true } else { false }
    }
}

extension RouteDescription {
    /// Whose requests a route takes: of one kind of principal, and of no other.
    package enum Principal: Sendable, Hashable {
        /// Everybody's.
        case anybody
        /// Those of merchants' programs, whose keys have the scope; below `/v1/` as a rule, and never below `/app/`.
        case program(Scope)
        /// Those of apps, whose tokens have the scope, or of any token; below `/app/v1/`.
        case app(AppScope?)

        /// The scope in words.
        var scopeText: String? {
            switch self {
            case .anybody: nil
            case .program(let scope): scope.text
            case .app(let scope): scope?.text
            }
        }

        /// Whether it shows something.
        var isKnown: Bool { self != .anybody }

        var isApp: Bool {
            if case .app = self { true } else { false }
        }
    }
}

extension RouteDescription.Principal {
    /// What a refusal says to it.
    func message(_ code: FailureCode) -> String {
        guard isApp else { return code.message }
        return switch code {
        case .unauthenticated: "The token is unknown or no longer valid. Send it as Authorization: Bearer TOKEN."
        case .scopeMissing: "The token does not have the scope for this request."
        case .browserNotAllowed: "Tokens must not be used in browsers: call from the app."
        default: code.message
        }
    }

    /// A refusal in its words.
    func refusal(_ code: FailureCode) -> Failure { Failure(code, message: message(code)) }

    /// The refusal of a principal whose key or token opens other things.
    var scopeRefusal: Failure {
        Failure(
            .scopeMissing,
            message: "The \(isApp ? "token" : "API key") does not have the scope \(scopeText ?? "")."
        )
    }
}
