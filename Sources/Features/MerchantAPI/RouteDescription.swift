package import HTTPCore
import MerchantOrders
package import ServiceAPI
package import Web

/// What is known of a route below `/v1`, for the router and for the document that describes the interface.
package struct RouteDescription: Sendable {
    /// One success: its status, and the shape and an example of its content.
    package typealias Answer = (status: HTTPStatus, shape: Schema, example: AnswerExample)

    /// Operations that a reader looks for together.
    package enum Group: String, Sendable, CaseIterable {
        /// Orders of buyers.
        case sessions
        /// Money of paid sessions.
        case payments
        /// What has happened.
        case events
        /// The interface itself.
        case description

        /// One line for people.
        var summary: String {
            switch self {
            case .sessions: "one order of one buyer each, from its opening to its payment"
            case .payments: "charges, captures and refunds of paid sessions"
            case .events: "what has happened to sessions and payments"
            case .description: "this description"
            }
        }
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
        /// Whether the answer to a POST is kept under its Idempotency-Key; one that is not is made anew, without a second
        /// effect.
        package var isKept = true
        /// Whether the answer has an `ETag`, and is 304 for who has it already.
        package var isCached = false
        /// What can go wrong besides what can go wrong everywhere.
        package var problems: [FailureCode] = []
        /// What the sender's server is asked later, because of the request.
        package var callback: Callback?

        /// The shape of a route that takes nothing.
        package init(_ status: HTTPStatus, _ shape: Schema, _ example: AnswerExample) {
            self.init([(status, shape, example)])
        }

        init(_ answers: [Answer]) {
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
    }

    /// GET or POST.
    package let method: HTTPMethod
    /// The path.
    package let path: RoutePattern
    /// Names the route, in the document and in the metrics: lower camel case, unique.
    package let name: String
    /// With which others it stands in the document.
    package let group: Group
    /// What the key has to open; `nil` where no key is needed.
    package let scope: Scope?
    /// One line for people.
    package let summary: String
    /// What goes in and comes out.
    package let shape: Shape

    /// A description.
    ///
    /// - Parameters:
    ///   - name: Unique.
    ///   - group: With which others it stands in the document.
    ///   - scope: What the key has to open.
    package init(
        _ method: HTTPMethod,
        _ path: RoutePattern,
        _ name: String,
        _ group: Group,
        _ scope: Scope?,
        _ summary: String,
        _ shape: Shape
    ) {
        self.method = method
        self.path = path
        self.name = name
        self.group = group
        self.scope = scope
        self.summary = summary
        self.shape = shape
    }

    /// The document itself.
    package static let openAPI = RouteDescription(
        .get,
        "/v1/openapi.json",
        "describeInterface",
        .description,
        nil,
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
