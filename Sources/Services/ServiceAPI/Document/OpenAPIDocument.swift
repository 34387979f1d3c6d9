import HTTPCore
import Primitives
package import StrictJSON
import Web

/// The description of the interface in the words of OpenAPI 3.1, made from the route table, so that it cannot differ from it.
package struct OpenAPIDocument {
    private let features: [DescribedRoutes]
    private let routes: [RouteDescription]
    /// Every code that a route may refuse with, in the order of the document.
    private let codes: [FailureCode]
    private let problem: NamedSchema

    /// The description of the routes of some features, and of itself.
    package init(_ features: [DescribedRoutes]) {
        self.features = features + [DescribedRoutes([.openAPI])]
        routes = self.features.flatMap(\.routes)
        let refusals = routes.flatMap(\.refusals)
        var rest = Set(refusals)
        codes = (FailureCode.ofServiceAPI + refusals).filter { rest.remove($0) != nil }
        problem = OpenAPIDocument.problem(codes, features.flatMap(\.rules.problemMembers))
    }

    /// The document, a JSON object.
    ///
    /// - Parameters:
    ///   - server: The origin of the interface.
    ///   - version: Of the program.
    package func json(server: String, version: String) -> JSONValue {
        var schemes = [JSONMember("key", ["type": "http", "scheme": "bearer", "bearerFormat": "swk_…"])]
        let hasApps = features.contains(where: \.hasAppRoutes)
        if hasApps {
            schemes.append(JSONMember("token", ["type": "http", "scheme": "bearer", "bearerFormat": "sat_…"]))
        }
        return [
            "openapi": "3.1.0",
            "info": [
                "title": "Sallyport", "version": .string(version),
                "summary": .string("The interface for merchants' programs\(hasApps ? " and apps" : "")."),
                "license": ["name": "Apache License 2.0", "identifier": "Apache-2.0"],
            ],
            "servers": [["url": .string(server)]], "tags": tags, "paths": paths, "webhooks": webhooks,
            "components": [
                "securitySchemes": .object(schemes),
                "headers": .object(headers), "schemas": schemas, "examples": examples,
            ],
        ]
    }

    /// A refusal: a problem of RFC 9457, with members of our own.
    private static func problem(_ codes: [FailureCode], _ members: [SchemaMember]) -> NamedSchema {
        NamedSchema(
            "Problem",
            .object(
                [
                    .required(
                        "type",
                        .text(1...200),
                        "reference to the example of the code in this description; the same for each answer with the code"
                    ),
                    .required("title", .text(1...100), "the code in words"), .required("status", .integer(400...599)),
                    .required("detail", .text(1...1_000), "for developers; may change"),
                    .required(
                        "instance",
                        .text(1...100),
                        "`request:` and the id of the request that was refused first; `operation:` and its id if an operation was refused"
                    ),
                    .required("code", .word(codes.map(\.name))),
                    .optional("field", .text(1...200), "the field of the content, or the parameter, that is wrong"),
                ] + members
            )
        )
    }

    // MARK: What answers say beside their content

    private var headers: [JSONMember] {
        let session = OpenAPIDocument.header(
            "Webview-Session-Id",
            "id of the session that the answer is about, if there is one"
        )
        let all = OpenAPIDocument.commonHeaders
        return features.contains(where: \.rules.namesSession) ? [all[0], session] + all[1...] : all
    }

    private static let commonHeaders: [JSONMember] = [
        header("X-Request-Id", "id of this answer, for a support case"),
        header("Retry-After", "whole seconds to wait before the same request is sent again"),
        header(
            "RateLimit",
            "what the limit leaves: `r` more requests at once, and `t` seconds until all of it is there again, or, with 429, one more request"
        ),
        header(
            "RateLimit-Policy",
            "the limit that counts the request: `q` requests in `w` seconds, of the API `key`, of buyers who come back to one `session`, or of the apps of one `account`"
        ),
        header("Idempotent-Replayed", "`true` if the answer is that of an earlier request under the same key"),
        header("Allow", "the methods that the path accepts"), header("WWW-Authenticate", "`Bearer`"),
        header("ETag", "version of the content; send it in `If-None-Match` of the next request"),
    ]

    private static func header(_ name: String, _ meaning: String) -> JSONMember {
        JSONMember(name, ["description": .string(meaning), "schema": ["type": "string"]])
    }

    /// Those of an answer with a status, by reference.
    private static func headers(
        _ status: HTTPStatus,
        of route: RouteDescription,
        _ rules: ServiceRules,
        isKept: Bool
    ) -> JSONValue {
        var names = ["X-Request-Id"] + (rules.namesSession ? ["Webview-Session-Id"] : [])
        // The other refusals come before a key is known.
        if route.principal.isKnown,
            ![.unauthorized, .methodNotAllowed, .requestTimeout, .payloadTooLarge].contains(status)
        {
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
        _ status: HTTPStatus,
        _ meaning: String,
        _ shape: Schema,
        examples: [String],
        headers: JSONValue
    ) -> JSONMember {
        let references = examples.map { JSONMember($0, ["$ref": .string(ProblemType.examples + $0)]) }
        let content: JSONValue = ["schema": shape.json(isOpen: true), "examples": .object(references)]
        return JSONMember(
            "\(status.code)",
            [
                "description": .string(meaning), "headers": headers,
                "content": [status.code < 400 ? "application/json" : "application/problem+json": content],
            ]
        )
    }

    private static func content(_ shape: Schema, isOpen: Bool = true) -> JSONValue {
        ["application/json": ["schema": shape.json(isOpen: isOpen)]]
    }

    // MARK: What merchants' servers are asked

    private var webhooks: JSONValue {
        .object(
            features.flatMap(\.rules.webhooks).map { webhook in
                let operation: JSONValue = [
                    "operationId": .string(webhook.type), "parameters": .array(OpenAPIDocument.signatureFields),
                    "requestBody": ["required": true, "content": OpenAPIDocument.content(webhook.content)],
                    "responses": ["2XX": ["description": "delivered; after any other answer the event is sent again"]],
                ]
                return JSONMember(webhook.type, ["post": operation])
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

    private var paths: JSONValue {
        var members: [JSONMember] = []
        for feature in features {
            for route in feature.routes {
                let operation = JSONMember(
                    "\(route.method.text)".lowercased(),
                    self.operation(route, feature.rules)
                )
                let path = OpenAPIDocument.path(route.path)
                if let index = members.firstIndex(where: { $0.name == path }) {
                    members[index].value = .object(members[index].value.members + [operation])
                } else {
                    members.append(JSONMember(path, .object([operation])))
                }
            }
        }
        return .object(members)
    }

    /// The path with the names of its places alone.
    private static func path(_ pattern: RoutePattern) -> String {
        let parts = pattern.text.octets.parts(between: UInt8(ascii: "/")).map { part in
            part.octets.ends(with: ":any}") ? String(decoding: part.utf8.dropLast(5), as: UTF8.self) + "}" : part
        }
        return parts.joined(separator: "/")
    }

    private func operation(_ route: RouteDescription, _ rules: ServiceRules) -> JSONValue {
        var members = [
            JSONMember("operationId", .string(route.name)), JSONMember("summary", .string(route.summary)),
            JSONMember("tags", [.string(route.group.name)]),
            JSONMember("security", OpenAPIDocument.security(route.principal)),
            JSONMember("parameters", .array(OpenAPIDocument.parameters(route, rules))),
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
        members.append(JSONMember("responses", responses(route, rules)))
        if let callback = route.shape.callback {
            members.append(JSONMember("callbacks", OpenAPIDocument.callbacks(callback)))
        }
        return .object(members)
    }

    /// What has to be shown, and with which scope.
    private static func security(_ principal: RouteDescription.Principal) -> JSONValue {
        guard principal.isKnown else { return .array([]) }
        let scopes = principal.scopeText.map { [JSONValue.string($0)] } ?? []
        return .array([.object([JSONMember(principal.isApp ? "token" : "key", .array(scopes))])])
    }

    private static func parameters(_ route: RouteDescription, _ rules: ServiceRules) -> [JSONValue] {
        var list: [JSONValue] = route.path.places.map { name in
            let shape = Schema.matching(rules.idPatterns[name] ?? SchemaPattern.uuid)
            return ["name": .string(name), "in": "path", "required": true, "schema": shape.json(isOpen: false)]
        }
        list += route.shape.query.map { parameter in
            [
                "name": .string(parameter.name), "in": "query", "required": false,
                "description": .string(parameter.meaning), "schema": parameter.shape.json(isOpen: false),
            ]
        }
        if route.takesWord {
            list.append([
                "name": "Idempotency-Key", "in": "header", "required": .bool(route.needsWord),
                "description": .string(repeats(route, rules)),
                "schema": ["type": "string", "pattern": .string(SchemaPattern.idempotencyKey)],
            ])
        }
        if route.isGuarded {
            list.append([
                "name": .string(AppRequest.fieldName), "in": "header", "required": true,
                "description": "id of the key, challenge and assertion of App Attest, separated by blanks",
                "schema": ["type": "string"],
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

    /// What a repeat under the same Idempotency-Key comes to.
    private static func repeats(_ route: RouteDescription, _ rules: ServiceRules) -> String {
        switch route.shape.claim {
        case .unused(let reason): "required, but not used by this route: " + reason
        case .optional(let effect): effect
        case .kept, .none:
            "a repeat under this key, with any \(route.principal.isApp ? "token" : "API key") of the account, has no second effect and gets the same answer, "
                + "\(rules.keepsAnswers); another request under it is refused"
        }
    }

    private func responses(_ route: RouteDescription, _ rules: ServiceRules) -> JSONValue {
        func headers(_ status: HTTPStatus, isKept: Bool) -> JSONValue {
            OpenAPIDocument.headers(status, of: route, rules, isKept: isKept)
        }
        var members = route.shape.answers.map {
            let headers = headers($0.status, isKept: route.isKept)
            return OpenAPIDocument.answer(
                $0.status,
                $0.status.reason,
                $0.shape,
                examples: [$0.example.name],
                headers: headers
            )
        }
        if route.shape.isCached {
            let fields: JSONValue = ["ETag": ["$ref": "#/components/headers/ETag"]]
            members.append(JSONMember("304", ["description": "the content is still the same", "headers": fields]))
        }
        let codes = route.refusals
        for status in Set(codes.map(\.status.code)).sorted() {
            let same = codes.filter { $0.status.code == status }
            guard let first = same.first else { continue }
            let words = same.map { "`\($0.name)`: \(route.principal.message($0))" }
            let mayBeKept = route.isKept && [.notFound, .conflict, .unprocessable].contains(first.status)
            members.append(
                OpenAPIDocument.answer(
                    first.status,
                    words.joined(separator: "\n\n"),
                    .named(problem),
                    examples: same.map(\.name),
                    headers: headers(first.status, isKept: mayBeKept)
                )
            )
        }
        return .object(members)
    }

    private var tags: JSONValue {
        var groups: [RouteDescription.Group] = []
        for route in routes where !groups.contains(route.group) { groups.append(route.group) }
        return .array(groups.map { ["name": .string($0.name), "description": .string($0.summary)] })
    }

    /// Those of the routes' answers by name, and one for each code: types of problems lead here.
    private var examples: JSONValue {
        var examples: [AnswerExample] = []
        for example in routes.flatMap(\.shape.answers).map(\.example)
        where !examples.contains(where: { $0.name == example.name }) {
            examples.append(example)
        }
        let refusals =
            features.flatMap(\.rules.problemExamples) + [
                Failure(.invalidCursor, field: "after"), Failure(IdempotencyWord.Refusal.empty),
            ]
        examples += codes.map { code in AnswerExample.refusal(refusals.first { $0.code == code } ?? Failure(code)) }
        return .object(
            examples.map { JSONMember($0.name, ["summary": .string($0.summary), "value": $0.value]) }
        )
    }

    /// The named shapes that the routes use, and those that these use; only those that nothing but requests have are closed.
    private var schemas: JSONValue {
        var ours: [NamedSchema] = []
        let events = features.flatMap(\.rules.webhooks).map(\.content)
        for shape in [.named(problem)] + events + routes.flatMap({ $0.shape.answers.map(\.shape) }) {
            OpenAPIDocument.collect(shape, &ours)
        }
        let callbacks = routes.compactMap(\.shape.callback)
        for callback in callbacks { OpenAPIDocument.collect(callback.question, &ours) }
        var theirs: [NamedSchema] = []
        for shape in routes.compactMap(\.shape.body) { OpenAPIDocument.collect(shape, &theirs) }
        for callback in callbacks { OpenAPIDocument.collect(callback.answer, &theirs) }
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
