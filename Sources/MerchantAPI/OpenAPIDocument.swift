import HTTPCore
import MerchantOrders
package import StrictJSON

/// The description of the interface in the words of OpenAPI 3.1, made from the route table, so that it cannot differ from it.
package enum OpenAPIDocument {
    /// The document.
    ///
    /// - Parameters:
    ///   - routes: The table.
    ///   - server: The origin that serves it.
    ///   - version: Of the program.
    /// - Returns: A JSON object.
    package static func make(_ routes: [RouteDescription], server: String, version: String) -> JSONValue {
        [
            "openapi": "3.1.0",
            "info": [
                "title": "Sallyport", "version": .string(version),
                "summary": "Opens payment sessions for a merchant's shop, and moves the money afterwards.",
            ],
            "servers": [["url": .string(server)]],
            "paths": paths(routes),
            "components": [
                "securitySchemes": ["key": ["type": "http", "scheme": "bearer", "bearerFormat": "swk_…"]],
                "schemas": .object(schemas(routes).map { JSONMember($0.name, $0.shape.json) }),
            ],
        ]
    }

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
            JSONMember("security", route.scope.map { [["key": [.string($0.rawValue)]]] } ?? .array([])),
            JSONMember("parameters", .array(parameters(route))),
        ]
        if let body = route.shape.body {
            var content = [JSONMember("schema", body.json)]
            if let text = route.shape.example, let example = try? JSONParser.parse(Array(text.utf8)) {
                content.append(JSONMember("example", example))
            }
            members.append(
                JSONMember("requestBody", ["required": true, "content": ["application/json": .object(content)]])
            )
        }
        members.append(JSONMember("responses", responses(route)))
        return .object(members)
    }

    private static func parameters(_ route: RouteDescription) -> [JSONValue] {
        var list: [JSONValue] = route.path.parameters.map { name in
            ["name": .string(name), "in": "path", "required": true, "schema": ["type": "string"]]
        }
        list += route.shape.query.map { parameter in
            [
                "name": .string(parameter.name), "in": "query", "required": false,
                "description": .string(parameter.meaning), "schema": parameter.shape.json,
            ]
        }
        if route.method == .post {
            list.append([
                "name": "Idempotency-Key", "in": "header", "required": true,
                "description": "names the request: a repeat under it gets the same answer for 72 hours",
                "schema": ["type": "string", "pattern": "^[A-Za-z0-9_-]{1,64}$"],
            ])
        }
        return list
    }

    private static func responses(_ route: RouteDescription) -> JSONValue {
        var members = route.shape.answers.map { answer in
            JSONMember(
                "\(answer.status.code)",
                [
                    "description": .string(answer.status.reason),
                    "content": ["application/json": ["schema": answer.shape.json]],
                ]
            )
        }
        let codes = problems(of: route)
        for status in Set(codes.map(\.status.code)).sorted() {
            let words = codes.filter { $0.status.code == status }.map { "`\($0.rawValue)`: \($0.message)" }
            members.append(
                JSONMember(
                    "\(status)",
                    [
                        "description": .string(words.joined(separator: "\n\n")),
                        "content": ["application/json": ["schema": Schema.named(.problem).json]],
                    ]
                )
            )
        }
        return .object(members)
    }

    /// What can go wrong with a request of a route, in the order of the codes.
    ///
    /// - Parameter route: Of the table.
    /// - Returns: What can go wrong everywhere, and what its description names.
    package static func problems(of route: RouteDescription) -> [ProblemCode] {
        guard route.scope != nil else { return [] }
        var codes: Set<ProblemCode> = [
            .invalidRequest, .unauthenticated, .scopeMissing, .browserNotAllowed, .rateLimited, .internalError,
            .unavailable,
        ]
        if route.method == .post {
            codes.formUnion([
                .idempotencyKeyMissing, .requestInProgress, .requestTimeout, .contentTooLarge, .unsupportedMediaType,
                .outcomeUnknown,
            ])
            if route.shape.isKept { codes.insert(.idempotencyKeyReused) }
        }
        if !route.path.parameters.isEmpty { codes.insert(.notFound) }
        codes.formUnion(route.shape.problems)
        return ProblemCode.allCases.filter(codes.contains)
    }

    /// The named shapes that the routes use, and those that these use.
    private static func schemas(_ routes: [RouteDescription]) -> [NamedSchema] {
        var found: [NamedSchema] = [.problem]
        func visit(_ shape: Schema) {
            switch shape {
            case .named(let schema):
                guard !found.contains(schema) else { return }
                found.append(schema)
                visit(schema.shape)
            case .object(let members): for member in members { visit(member.shape) }
            case .list(let element, _): visit(element)
            case .either(let shapes): for shape in shapes { visit(shape) }
            case .nullable(let inner): visit(inner)
            default: break
            }
        }
        for route in routes {
            if let body = route.shape.body { visit(body) }
            for answer in route.shape.answers { visit(answer.shape) }
        }
        return found
    }
}
