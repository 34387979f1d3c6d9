import HTTPCore
package import Primitives
package import StrictJSON
package import Web

/// What a request below `/v1` or `/app/v1` said, taken out of it.
struct ServiceContent {
    let method: String
    let path: String
    /// The ids in the path, in order.
    let ids: [String]
    let query: [(name: String, value: String)]
    let body: [UInt8]
    /// The word of `Idempotency-Key`, where there is one.
    let idempotencyKey: IdempotencyWord?
    let requestID: String
    let caller: Caller
    /// The request as a guard sees it; `nil` where its route has none.
    let guarded: AppRequest?

    /// The content of a request of a route.
    ///
    /// - Throws: `invalid_request` for a query that cannot be read.
    init(_ request: HTTPRequest, _ route: RouteDescription, _ caller: Caller) throws(Failure) {
        do {
            query = try request.queryParameters().all
        } catch {
            throw Failure(.invalidRequest, "\(error)", message: "The query cannot be read.")
        }
        method = "\(route.method.text)"
        path = request.path
        ids = route.path.places.indices.map { request.capture($0) }
        body = request.body
        idempotencyKey = request.first(.idempotencyKey).flatMap { IdempotencyWord($0) }
        requestID = request.requestID
        self.caller = caller
        guarded = route.isGuarded ? AppRequest(request, route.method) : nil
    }

    /// The body as JSON.
    func parsed() -> Result<JSONValue, JSONError> {
        Result { () throws(JSONError) in try JSONParser.parse(body, depth: ServiceContent.depth) }
    }

    /// Deeper than any message is nested.
    private static let depth = 8
}

/// One request that was let in; what a handler below `/v1` or `/app/v1` is given.
///
/// It holds what it needs of the request, so that a handler may go on when the client has hung up.
package struct ServiceCall<Part: AnyObject> {
    /// Who has sent it.
    package let principal: ServicePrincipal
    let content: ServiceContent
    let routes: BoundRoutes<Part>
    /// The content as JSON; `nil` where there is none.
    let json: Result<JSONValue, JSONError>?

    init(_ routes: BoundRoutes<Part>, _ principal: ServicePrincipal, _ content: ServiceContent) {
        self.routes = routes
        self.principal = principal
        self.content = content
        json = content.body.isEmpty ? nil : content.parsed()
    }

    /// Whose route it is.
    package var part: Part { routes.part }

    /// The account that it is about: that of an app's token, or the first place in the path of a merchant's program.
    ///
    /// An app cannot name another one, so one handler serves both.
    ///
    /// - Throws: `not_found` for a path that has no id there.
    package var account: UUIDBytes {
        get throws(Failure) {
            switch principal {
            case .app(_, let grant): grant.account
            case .program: try id()
            }
        }
    }

    /// Whether an app has sent it, for the account of its token.
    package var isOfApp: Bool { principal.isApp }

    /// Names the request in the answer and in the log.
    package var requestID: String { content.requestID }

    /// Where the request comes from, as far as the audit trail may remember it.
    package var caller: Caller { content.caller }

    /// The present, for what an answer says; deadlines are the database's.
    package var now: WallTime { routes.service.now }

    /// The text of a place in the path, counted from zero; empty where the path has fewer.
    package func parameter(_ index: Int = 0) -> String {
        index < content.ids.count ? content.ids[index] : ""
    }

    /// The id at a place in the path.
    ///
    /// - Throws: `not_found` for what can be no id, as for one that does not exist.
    package func id(_ index: Int = 0) throws(Failure) -> UUIDBytes {
        guard let id = UUIDBytes(parameter(index)) else { throw Failure(.notFound) }
        return id
    }

    /// The parameters of the query.
    ///
    /// - Parameters:
    ///   - nonEmpty: Those of them that are refused when they are empty: a list would answer with other elements.
    /// - Returns: By name; empty ones are left out.
    /// - Throws: `invalid_request` for another name, one that comes twice, or an empty one of `nonEmpty`.
    package func query(_ known: [String], nonEmpty: [String] = []) throws(Failure) -> [OctetText: String] {
        var found: [OctetText: String] = [:]
        for (name, value) in content.query {
            guard known.contains(where: { $0.octets == name.octets }) else {
                throw Failure(.invalidRequest, message: "There is no such parameter.", field: name)
            }
            guard case .none = found[name.octets] else {
                throw Failure(.invalidRequest, message: "The parameter comes twice.", field: name)
            }
            if value.isEmpty, nonEmpty.contains(where: { $0.octets == name.octets }) {
                throw Failure(.invalidRequest, message: "The parameter is empty.", field: name)
            }
            found[name.octets] = value
        }
        return found.filter { !$0.value.isEmpty }
    }

    /// The content of the request.
    ///
    /// - Returns: A reader of the object; ask for every member, then call `end`.
    /// - Throws: `invalid_request` for what is no JSON object.
    package func body() throws(Failure) -> JSONReader {
        let value: JSONValue
        do throws(JSONError) {
            value = try (json ?? content.parsed()).get()
        } catch {
            throw Failure(error)
        }
        return try Failure.reading { () throws(JSONRefusal) in try JSONReader(value) }
    }

    /// The content of a request that may have none.
    ///
    /// - Returns: A reader of the object, or of an empty one.
    /// - Throws: `invalid_request` for what is no JSON object.
    package func optionalBody() throws(Failure) -> JSONReader {
        guard content.body.isEmpty else { return try body() }
        return try Failure.reading { () throws(JSONRefusal) in try JSONReader([:]) }
    }
}
