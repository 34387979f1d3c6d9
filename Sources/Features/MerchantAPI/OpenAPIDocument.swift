import CheckoutCodes
import HTTPCore
import MerchantOrders
import ServiceAPI
package import StrictJSON
package import Web

/// The description of the interface in the words of OpenAPI 3.1, made from the route table, so that it cannot differ from it.
package enum OpenAPIDocument {
    /// The document.
    ///
    /// - Parameter events: The types of events that merchants' servers get.
    /// - Returns: A JSON object.
    package static func make(
        _ routes: [RouteDescription],
        events: [String] = [],
        server: String,
        version: String
    ) -> JSONValue {
        [
            "openapi": "3.1.0",
            "info": [
                "title": "Sallyport", "version": .string(version),
                "summary": "Opens payment sessions for a merchant's shop; captures, refunds and releases payments.",
                "license": ["name": "Apache License 2.0", "identifier": "Apache-2.0"],
            ],
            "servers": [["url": .string(server)]], "tags": tags(routes),
            "paths": paths(routes), "webhooks": webhooks(events),
            "components": [
                "securitySchemes": ["key": ["type": "http", "scheme": "bearer", "bearerFormat": "swk_…"]],
                "headers": .object(headers), "schemas": schemas(routes), "examples": examples(routes),
            ],
        ]
    }

    // MARK: What answers say beside their content

    private static let headers: [JSONMember] = [
        header("X-Request-Id", "id of this answer, for a support case"),
        header("Webview-Session-Id", "id of the session that the answer is about, if there is one"),
        header("Retry-After", "whole seconds to wait before the same request is sent again"),
        header(
            "RateLimit",
            "what the limit leaves: `r` more requests at once, and `t` seconds until all of it is there again, or, with 429, one more request"
        ),
        header(
            "RateLimit-Policy",
            "the limit that counts the request: `q` requests in `w` seconds, of the API `key`, or of buyers who come back to one `session`"
        ),
        header("Idempotent-Replayed", "`true` if the answer is that of an earlier request under the same key"),
        header("Allow", "the methods that the path accepts"), header("WWW-Authenticate", "`Bearer`"),
        header("ETag", "version of the content; send it in `If-None-Match` of the next request"),
    ]

    private static func header(_ name: String, _ meaning: String) -> JSONMember {
        JSONMember(name, ["description": .string(meaning), "schema": ["type": "string"]])
    }

    /// Those of an answer with a status, by reference.
    private static func headers(_ status: HTTPStatus, of route: RouteDescription, isKept: Bool) -> JSONValue {
        var names = ["X-Request-Id", "Webview-Session-Id"]
        // The other refusals come before a key is known.
        if route.scope != nil, ![.unauthorized, .methodNotAllowed, .requestTimeout, .payloadTooLarge].contains(status) {
            names += ["RateLimit", "RateLimit-Policy"]
        }
        if isKept { names.append("Idempotent-Replayed") }
        switch status {
        case .unauthorized: names.append("WWW-Authenticate")
        case .methodNotAllowed: names.append("Allow")
        case .accepted, .conflict, .tooManyRequests, .serviceUnavailable: names.append("Retry-After")
        default: break
        }
        return .object(names.map { JSONMember($0, ["$ref": .string("#/components/headers/\($0)")]) })
    }

    private static func answer(
        _ route: RouteDescription,
        _ status: HTTPStatus,
        _ meaning: String,
        _ shape: Schema,
        _ examples: [AnswerExample],
        isKept: Bool
    ) -> JSONMember {
        let references = examples.map { JSONMember($0.name, ["$ref": .string(ProblemType.examples + $0.name)]) }
        let content: JSONValue = ["schema": shape.json(isOpen: true), "examples": .object(references)]
        return JSONMember(
            "\(status.code)",
            [
                "description": .string(meaning), "headers": headers(status, of: route, isKept: isKept),
                "content": [status.code < 400 ? "application/json" : "application/problem+json": content],
            ]
        )
    }

    private static func content(_ shape: Schema, isOpen: Bool = true) -> JSONValue {
        ["application/json": ["schema": shape.json(isOpen: isOpen)]]
    }

    // MARK: What merchants' servers are asked

    private static func webhooks(_ types: [String]) -> JSONValue {
        .object(
            types.map { type in
                let operation: JSONValue = [
                    "operationId": .string(type), "parameters": .array(signatureFields),
                    "requestBody": ["required": true, "content": content(.named(.event))],
                    "responses": ["2XX": ["description": "delivered; after any other answer the event is sent again"]],
                ]
                return JSONMember(type, ["post": operation])
            }
        )
    }

    private static let signatureFields: [JSONValue] = [
        ("webhook-id", "id of the event, or of the shipping cost request; the same at every try"),
        ("webhook-timestamp", "Unix seconds of this try"),
        (
            "webhook-signature",
            "signature by Standard Webhooks: `v1,` and Base64; two, separated by a blank, while a key is replaced"
        ),
        ("webhook-key-id", "ids of the keys of the signatures, in the same order"),
    ]
    .map { name, meaning in
        [
            "name": .string(name), "in": "header", "required": true, "description": .string(meaning),
            "schema": ["type": "string"],
        ]
    }

    private static func callbacks(_ callback: RouteDescription.Callback) -> JSONValue {
        let operation: JSONValue = [
            "summary": .string(callback.summary), "parameters": .array(signatureFields),
            "requestBody": ["required": true, "content": content(callback.question)],
            "responses": ["200": ["description": "OK", "content": content(callback.answer, isOpen: false)]],
        ]
        return .object([JSONMember(callback.name, .object([JSONMember(callback.address, ["post": operation])]))])
    }

    // MARK: Paths

    private static func paths(_ routes: [RouteDescription]) -> JSONValue {
        var members: [JSONMember] = []
        for route in routes {
            let operation = JSONMember("\(route.method.text)".lowercased(), self.operation(route))
            if let index = members.firstIndex(where: { $0.name == route.path.text }) {
                members[index].value = .object(members[index].value.members + [operation])
            } else {
                members.append(JSONMember(route.path.text, .object([operation])))
            }
        }
        return .object(members)
    }

    private static func operation(_ route: RouteDescription) -> JSONValue {
        var members = [
            JSONMember("operationId", .string(route.name)), JSONMember("summary", .string(route.summary)),
            JSONMember("tags", [.string(route.group.rawValue)]),
            JSONMember("security", route.scope.map { [["key": [.string($0.text)]]] } ?? .array([])),
            JSONMember("parameters", .array(parameters(route))),
        ]
        if let body = route.shape.body {
            var content = [JSONMember("schema", body.json(isOpen: false))]
            if let text = route.shape.example, let example = try? JSONParser.parse(Array(text.utf8)) {
                content.append(JSONMember("example", example))
            }
            members.append(
                JSONMember("requestBody", ["required": true, "content": ["application/json": .object(content)]])
            )
        }
        members.append(JSONMember("responses", responses(route)))
        if let callback = route.shape.callback { members.append(JSONMember("callbacks", callbacks(callback))) }
        return .object(members)
    }

    private static func parameters(_ route: RouteDescription) -> [JSONValue] {
        var list: [JSONValue] = route.path.places.map { name in
            let shape = Schema.matching(patterns[name] ?? SchemaPattern.uuid)
            return ["name": .string(name), "in": "path", "required": true, "schema": shape.json(isOpen: false)]
        }
        list += route.shape.query.map { parameter in
            [
                "name": .string(parameter.name), "in": "query", "required": false,
                "description": .string(parameter.meaning), "schema": parameter.shape.json(isOpen: false),
            ]
        }
        if route.method == .post {
            list.append([
                "name": "Idempotency-Key", "in": "header", "required": true,
                "description": .string(repeats(route)),
                "schema": ["type": "string", "pattern": .string(SchemaPattern.idempotencyKey)],
            ])
        }
        if route.shape.isCached {
            list.append([
                "name": "If-None-Match", "in": "header", "required": false,
                "description": "the `ETag` of the content that you have; 304 if the content is still the same",
                "schema": ["type": "string"],
            ])
        }
        return list
    }

    /// What the ids in paths look like, where they are none of ours.
    private static let patterns = ["chargeId": SchemaPattern.charge, "refundId": SchemaPattern.refund]

    /// What a repeat under the same Idempotency-Key comes to.
    private static func repeats(_ route: RouteDescription) -> String {
        if route.shape.isKept {
            "a repeat under this key, with any API key of the account, has no second effect and gets the same answer, "
                + "as long as orders are kept; another request under it is refused"
        } else {
            "required, but not used by this route: a session is paid only once, and a repeat gets the current state of the session"
        }
    }

    private static func responses(_ route: RouteDescription) -> JSONValue {
        let isKept = route.method == .post && route.shape.isKept
        var members = route.shape.answers.map {
            answer(route, $0.status, $0.status.reason, $0.shape, [$0.example], isKept: isKept)
        }
        if route.shape.isCached {
            let fields: JSONValue = ["ETag": ["$ref": "#/components/headers/ETag"]]
            members.append(JSONMember("304", ["description": "the content is still the same", "headers": fields]))
        }
        let codes = problems(of: route)
        for status in Set(codes.map(\.status.code)).sorted() {
            let same = codes.filter { $0.status.code == status }
            guard let first = same.first else { continue }
            let words = same.map { "`\($0.name)`: \($0.message)" }
            let mayBeKept = isKept && [.notFound, .conflict, .unprocessable].contains(first.status)
            members.append(
                answer(
                    route,
                    first.status,
                    words.joined(separator: "\n\n"),
                    .named(.problem),
                    same.map(AnswerExample.refusal),
                    isKept: mayBeKept
                )
            )
        }
        return .object(members)
    }

    /// What can go wrong with a request of a route, in the order of the codes.
    ///
    /// - Returns: What can go wrong everywhere, and what its description names.
    package static func problems(of route: RouteDescription) -> [FailureCode] {
        guard route.scope != nil else { return [] }
        var codes: Set<FailureCode> = [
            .invalidRequest, .unauthenticated, .scopeMissing, .browserNotAllowed, .rateLimited, .internalError,
            .unavailable, .methodNotAllowed,
        ]
        if route.method == .post {
            codes.formUnion([
                .idempotencyKeyMissing, .idempotencyKeyInvalid, .requestInProgress, .requestTimeout, .contentTooLarge,
                .unsupportedMediaType,
                .outcomeUnknown,
            ])
            if route.shape.isKept { codes.insert(.idempotencyKeyReused) }
        }
        if !route.path.places.isEmpty { codes.insert(.notFound) }
        codes.formUnion(route.shape.problems)
        return FailureCode.ofMerchantAPI.filter(codes.contains)
    }

    private static func tags(_ routes: [RouteDescription]) -> JSONValue {
        let used = RouteDescription.Group.allCases.filter { group in routes.contains { $0.group == group } }
        return .array(used.map { ["name": .string($0.rawValue), "description": .string($0.summary)] })
    }

    /// Those of the routes' answers by name, and one for each code, whether or not a route has it: types of problems lead here.
    private static func examples(_ routes: [RouteDescription]) -> JSONValue {
        var examples: [AnswerExample] = []
        for example in routes.flatMap(\.shape.answers).map(\.example)
        where !examples.contains(where: { $0.name == example.name }) {
            examples.append(example)
        }
        examples += FailureCode.ofMerchantAPI.map(AnswerExample.refusal)
        return .object(
            examples.map { JSONMember($0.name, ["summary": .string($0.summary), "value": $0.value]) }
        )
    }

    /// The named shapes that the routes use, and those that these use; only those that nothing but requests have are closed.
    private static func schemas(_ routes: [RouteDescription]) -> JSONValue {
        var ours: [NamedSchema] = []
        for shape in [.named(.problem), .named(.event)] + routes.flatMap({ $0.shape.answers.map(\.shape) }) {
            collect(shape, &ours)
        }
        for callback in routes.compactMap(\.shape.callback) { collect(callback.question, &ours) }
        var theirs: [NamedSchema] = []
        for shape in routes.compactMap(\.shape.body) { collect(shape, &theirs) }
        for callback in routes.compactMap(\.shape.callback) { collect(callback.answer, &theirs) }
        let open = ours.map { JSONMember($0.name, $0.shape.json(isOpen: true)) }
        return .object(open + theirs.map { JSONMember($0.nameInRequests, $0.shape.json(isOpen: false)) })
    }

    private static func collect(_ shape: Schema, _ found: inout [NamedSchema]) {
        switch shape {
        case .named(let schema):
            guard !found.contains(schema) else { return }
            found.append(schema)
            collect(schema.shape, &found)
        case .object(let members), .sorts(let members, _): for member in members { collect(member.shape, &found) }
        case .list(let element, _): collect(element, &found)
        case .either(let shapes): for shape in shapes { collect(shape, &found) }
        case .nullable(let inner): collect(inner, &found)
        default: break
        }
    }
}
