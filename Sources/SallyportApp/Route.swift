import HTTPCore
import Web

/// One line of the route table; an object, because each request passes one along.
final class Route: Sendable {
    /// Which of the three faces of the program serves it.
    enum Face: String, Sendable {
        case web
        case link
        case admin
    }

    /// What a failure looks like.
    enum Format: Sendable {
        case json
        case page
    }

    /// How it is answered.
    enum Action: Sendable {
        /// At once, from memory, the same for everybody.
        case fixed(@Sendable (Deployment) -> FixedAnswer)
        /// At once.
        case now(@Sendable (Exchange) throws(Failure) -> HTTPResponse)
        /// After waiting for the store or the provider.
        case later(@Sendable (Exchange) async throws(Failure) -> HTTPResponse)
        /// Likewise, but refused at once where the second function says that the request begins something and the store has no
        /// room for it.
        case beginning(
            @Sendable (Exchange) async throws(Failure) -> HTTPResponse,
            where: @Sendable (Exchange) -> Bool
        )

        /// Whether the answer takes the store or the provider.
        var waits: Bool {
            switch self {
            case .fixed, .now: false
            case .later, .beginning: true
            }
        }
    }

    let face: Face
    let method: HTTPMethod
    let path: StaticString
    let format: Format
    let action: Action
    /// One line for `sallyport routes`.
    let meaning: String

    init(
        _ face: Face,
        _ method: HTTPMethod,
        _ path: StaticString,
        _ format: Format,
        _ action: Action,
        _ meaning: String
    ) {
        self.face = face
        self.method = method
        self.path = path
        self.format = format
        self.action = action
        self.meaning = meaning
    }
}
