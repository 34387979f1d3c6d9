package import HTTPCore
import Primitives
package import Web

/// What is known of a route for merchants' programs or for apps, for the router and for the document that describes the interface.
package struct RouteDescription: Sendable {
    /// One success.
    package struct Answer: Sendable {
        let status: HTTPStatus
        let shape: Schema
        let example: AnswerExample

        /// A success by its status, the shape of its content and an example.
        package init(_ status: HTTPStatus, _ shape: Schema, _ example: AnswerExample) {
            self.status = status
            self.shape = shape
            self.example = example
        }
    }

    /// Operations that a reader looks for together.
    package struct Group: Sendable, Hashable {
        let name: String
        let summary: String

        /// A group; declared once as a static member, with one line for people.
        package init(_ name: String, _ summary: String) {
            self.name = name
            self.summary = summary
        }

        /// The interface itself.
        static let description = Group("description", "this description")
    }

    /// What a route does with `Idempotency-Key`; a POST alone may have one.
    package enum Claim: Sendable, Hashable {
        /// A POST needs it, and a repeat under it gets the answer that was kept.
        case kept
        /// A POST needs it, but the route remembers by itself what became of the request; the text says how, for people.
        case unused(String)
        /// A POST may have it; the text says what becomes of a repeat, for people.
        case optional(String)
        /// It is not asked for.
        case none
    }

    /// What goes in and comes out.
    package struct Shape: Sendable {
        /// Parameters of the query; all may be absent.
        package var query: [QueryParameter] = []
        /// The content of the request, or `nil` where it has none.
        package var body: Schema?
        /// A request of the shape, as JSON; for readers and for a test that decodes it.
        package var example: String?
        /// What a success looks like, by status.
        package var answers: [Answer]
        /// What becomes of the Idempotency-Key.
        package var claim = Claim.kept
        /// Bytes that the content may have; `nil` for what is usual below `/v1`.
        package var bodyLimit: Int?
        /// Whether the answer has an `ETag`, and is 304 for who has it already.
        package var isCached = false
        /// What can go wrong besides what can go wrong everywhere.
        package var problems: [FailureCode] = []
        /// What the sender's server is asked later, because of the request.
        package var callback: Callback?

        /// The shape of a route that takes nothing.
        package init(_ status: HTTPStatus, _ shape: Schema, _ example: AnswerExample) {
            self.init([Answer(status, shape, example)])
        }

        /// The shape of a route with several successes.
        package init(_ answers: [Answer]) {
            self.answers = answers
        }
    }

    /// A request to the merchant's server that follows from one of its own.
    package struct Callback: Sendable {
        /// Names it in the document.
        package let name: String
        /// Where it goes: a runtime expression of OpenAPI.
        package let address: String
        /// One line for people.
        package let summary: String
        /// What is sent.
        package let question: Schema
        /// What has to be answered.
        package let answer: Schema

        /// A request.
        package init(name: String, address: String, summary: String, question: Schema, answer: Schema) {
            self.name = name
            self.address = address
            self.summary = summary
            self.question = question
            self.answer = answer
        }
    }

    /// A POST needs an Idempotency-Key unless its shape says otherwise.
    package let method: HTTPMethod
    /// The path.
    package let path: RoutePattern
    /// Names the route, in the document and in the metrics: lower camel case, unique.
    package let name: String
    /// With which others it stands in the document.
    package let group: Group
    /// Whose requests it takes.
    package let principal: Principal
    /// One line for people.
    package let summary: String
    /// What goes in and comes out.
    package let shape: Shape
    /// What the guard before it refuses with; none where there is no guard.
    var guardRefusals: [FailureCode] = []

    /// A description.
    package init(
        _ method: HTTPMethod,
        _ path: RoutePattern,
        _ name: String,
        _ group: Group,
        _ principal: Principal,
        _ summary: String,
        _ shape: Shape
    ) {
        self.method = method
        self.path = path
        self.name = name
        self.group = group
        self.principal = principal
        self.summary = summary
        self.shape = shape
    }

    /// A description of a route for merchants' programs.
    package init(
        _ method: HTTPMethod,
        _ path: RoutePattern,
        _ name: String,
        _ group: Group,
        _ scope: Scope,
        _ summary: String,
        _ shape: Shape
    ) {
        self.init(method, path, name, group, .program(scope), summary, shape)
    }

    /// A description of a route for apps.
    package init(
        _ method: HTTPMethod,
        _ path: RoutePattern,
        _ name: String,
        _ group: Group,
        _ scope: AppScope,
        _ summary: String,
        _ shape: Shape
    ) {
        self.init(method, path, name, group, .app(scope), summary, shape)
    }

    /// Whether principal and path go together: tokens open what is below `/app/v1/` and nothing else, and keys open nothing there.
    package var isWellPlaced: Bool {
        switch principal {
        case .anybody: false
        case .program: !path.text.octets.starts(with: "/app/")
        case .app: path.text.octets.starts(with: "/app/v1/")
        }
    }

    /// Whether a request has content, which has to be JSON; what comes with any other is not looked at.
    var hasContent: Bool { shape.body != nil && mayHaveContent }

    private var mayHaveContent: Bool { method == .post || method == .put || method == .patch }

    /// Whether an Idempotency-Key is read.
    var takesWord: Bool { method == .post && shape.claim != .none }

    /// Whether a request has to have an Idempotency-Key.
    var needsWord: Bool {
        if case .optional = shape.claim { return false }
        return takesWord
    }

    /// Whether the answer is kept for repeats.
    var isKept: Bool { method == .post && shape.claim == .kept }

    /// What a request may be refused with, in the order of the description: everywhere, and by what the shape names.
    package var refusals: [FailureCode] {
        guard principal.isKnown else { return [] }
        var codes: Set<FailureCode> = [
            .invalidRequest, .unauthenticated, .scopeMissing, .browserNotAllowed, .rateLimited, .internalError,
            .unavailable, .methodNotAllowed,
        ]
        if mayHaveContent { codes.formUnion([.requestTimeout, .contentTooLarge]) }
        if hasContent { codes.insert(.unsupportedMediaType) }
        if takesWord { codes.formUnion([.idempotencyKeyInvalid, .requestInProgress, .outcomeUnknown]) }
        if needsWord { codes.insert(.idempotencyKeyMissing) }
        if isKept { codes.insert(.idempotencyKeyReused) }
        if !path.places.isEmpty { codes.insert(.notFound) }
        let own = shape.problems + guardRefusals
        codes.formUnion(own)
        return FailureCode.ofServiceAPI.filter { codes.remove($0) != nil } + own.filter { codes.remove($0) != nil }
    }

    /// The document itself.
    package static let openAPI = RouteDescription(
        .get,
        "/v1/openapi.json",
        "describeInterface",
        .description,
        .anybody,
        "this description",
        document
    )

    private static var document: Shape {
        let members = ["title", "version"].map { SchemaMember.required($0, .text(1...100)) }
        let document = Schema.object([
            .required("openapi", .text(5...5)), .required("info", .object(members)), .required("paths", .object([])),
        ])
        var shape = Shape(.ok, document, .document)
        shape.isCached = true
        return shape
    }
}

/// A parameter of a query.
package struct QueryParameter: Sendable {
    /// Its name.
    package let name: String
    /// Its text.
    package let shape: Schema
    /// One line for people.
    package let meaning: String

    /// A parameter.
    package init(_ name: String, _ shape: Schema, _ meaning: String) {
        self.name = name
        self.shape = shape
        self.meaning = meaning
    }
}
