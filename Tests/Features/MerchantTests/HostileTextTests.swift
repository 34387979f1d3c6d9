import Accounts
import Checkout
import FeatureTestKit
import Merchant
import ServerCore
import ServiceAPI
import StrictJSON
import TestKit
import Testing
import Web
import Webhooks

@testable import HTTPCore

/// A route below `/v1` as the document of the interface describes it, so that a new route or member is here by itself.
private struct DescribedRoute {
    let method: HTTPMethod
    let path: String
    /// Names of the query.
    let query: [String]
    /// A body that is taken, and the schema of all bodies.
    let body: (example: JSONValue, schema: JSONValue)?

    /// Every route that the document has.
    static func all(_ document: JSONValue) -> [DescribedRoute] {
        (document["paths"]?.members ?? []).flatMap { path in
            path.value.members.compactMap { DescribedRoute(path.name, $0, document) }
        }
    }

    private init?(_ path: String, _ operation: JSONMember, _ document: JSONValue) {
        guard let method: HTTPMethod = ["get": .get, "post": .post][operation.name] else { return nil }
        self.method = method
        let known = MerchantRequest.all.first { request in
            request.method == method && DescribedRoute.matches(path, request.path)
        }
        self.path = known?.path ?? path
        query = (operation.value["parameters"]?.elements ?? [])
            .compactMap { $0["in"]?.text == "query" ? $0["name"]?.text : nil }
        let content = operation.value["requestBody"]?["content"]?["application/json"]
        body = content.flatMap { content in
            guard let schema = content["schema"] else { return nil }
            let sample = known?.body.flatMap { try? JSONParser.parse(Array($0.utf8)) }
            return (sample ?? content["example"] ?? [:], Schemas(document).resolved(schema))
        }
    }

    /// Whether a path has the form of a pattern with places in braces.
    private static func matches(_ pattern: String, _ path: String) -> Bool {
        let (parts, texts) = (pattern.split(separator: "/"), path.split(separator: "/"))
        return parts.count == texts.count && zip(parts, texts).allSatisfy { $0 == $1 || $0.hasPrefix("{") }
    }
}

/// The schemas of the document, with references followed.
private struct Schemas {
    private let named: JSONValue

    init(_ document: JSONValue) { named = document["components"]?["schemas"] ?? [:] }

    /// The schema that a reference names.
    func resolved(_ schema: JSONValue) -> JSONValue {
        guard let name = schema["$ref"]?.text?.split(separator: "/").last else { return schema }
        return named[String(name)] ?? schema
    }

    /// The ways to the members of a body, those of objects inside it and of the first elements of lists among them.
    func ways(_ schema: JSONValue, depth: Int = 5) -> [[String]] {
        guard depth > 0 else { return [] }
        let schema = resolved(schema)
        let alternatives =
            (schema["oneOf"]?.elements ?? []) + (schema["anyOf"]?.elements ?? []) + (schema["allOf"]?.elements ?? [])
        var found = alternatives.flatMap { ways($0, depth: depth) }
        if let items = schema["items"] { found += ways(items, depth: depth - 1).map { ["0"] + $0 } + [["0"]] }
        for member in schema["properties"]?.members ?? [] {
            found += [[member.name]] + ways(member.value, depth: depth - 1).map { [member.name] + $0 }
        }
        if schema["additionalProperties"]?.members.isEmpty == false { found.append(["any"]) }
        return Array(Set(found)).sorted { $0.lexicographicallyPrecedes($1) }
    }
}

extension JSONValue {
    /// The value with another one at the end of a way, or, under another name than it has, beside it.
    fileprivate func putting(_ text: String, at way: ArraySlice<String>, asName: Bool) -> JSONValue {
        guard let name = way.first else { return asName ? .object(members + [JSONMember(text, 1)]) : .string(text) }
        if case .array(let elements) = self {
            let first = elements.first ?? [:]
            return .array([first.putting(text, at: way.dropFirst(), asName: asName)] + elements.dropFirst())
        }
        if name == "0" { return .array([JSONValue.object([]).putting(text, at: way.dropFirst(), asName: asName)]) }
        var members = members
        let index = members.firstIndex { $0.name == name }
        let inside = index.map { members[$0].value } ?? [:]
        let member = JSONMember(name, inside.putting(text, at: way.dropFirst(), asName: asName))
        if let index { members[index] = member } else { members.append(member) }
        return .object(members)
    }
}

/// One request with hostile text in one place.
private struct Attack {
    let name: String
    let size: Int
    let send: (ScriptedProgram, String) async throws -> Answer

    static func all(_ route: DescribedRoute, _ document: JSONValue) -> [Attack] {
        let body = route.body.map { $0.example.description }
        let request = MerchantRequest(route.method, route.path, "", "", body)
        var attacks = KnownFieldName.allCases.map { known in
            Attack(name: "field \(known.rawValue)", size: 4_000) { program, text in
                try await program.ask(request, HTTPFieldName(known), text)
            }
        }
        attacks += (route.query + [""]).flatMap { name in
            [(name, "value"), ("", "name")].map { name, place in
                Attack(name: "query \(name), \(place)", size: 2_000) { program, text in
                    let marks = text.utf8.map { "%" + String($0, radix: 16, uppercase: true) }.joined()
                    let pair = place == "name" ? marks + "=1" : "\(name.isEmpty ? "x" : name)=\(marks)"
                    return try await program.send(MerchantRequest(route.method, "\(route.path)?\(pair)", "", "", body))
                }
            }
        }
        guard let body = route.body else { return attacks }
        for way in Schemas(document).ways(body.schema) + [[]] {
            for asName in [false, true] {
                attacks.append(
                    Attack(name: "\(asName ? "a name in" : "the value of") \(way)", size: 8_000) { program, text in
                        let value = body.example.putting(text, at: way[...], asName: asName)
                        return try await program.send(request, body: value.description)
                    }
                )
            }
        }
        return attacks
    }
}

extension ScriptedProgram {
    /// Asks with a sound key, and one more field.
    fileprivate func ask(_ request: MerchantRequest, _ name: HTTPFieldName, _ text: String) async throws -> Answer {
        letIn()
        var fields: [(HTTPFieldName, String)] = [(.authorization, "Bearer " + MerchantKey.text)]
        if request.method == .post { fields.append((.idempotencyKey, "word-1")) }
        fields.removeAll { $0.0 == name }
        if name != .host, name != .contentType { fields.append((name, text)) }
        return try await ask(
            request.method,
            request.path,
            host: name == .host ? text : ScriptedProgram.host,
            fields: fields,
            type: name == .contentType ? text : "application/json",
            body: request.body
        )
    }
}

/// Text that is dear to compare, in every place where a request of a merchant's program has text.
@Suite struct `Hostile text below v1` {
    @Test func `costs no more than its octets in any place of any route`() async throws {
        let features = FeatureSet([
            ServiceFeature.self, AccountsFeature.self, CheckoutFeature.self, WebhookDelivery.self, MerchantFeature.self,
        ])
        let paths = Set(features.routes.map(\.path).filter { $0.hasPrefix("/v1/") || $0.hasPrefix("/app/v1/") })
        do {
            try await withMerchants(["merchant.requests_per_minute": "1000000"]) { program in
                let document = try await program.ask(.get, "/v1/openapi.json").json
                #expect(Set((document["paths"]?.members ?? []).map(\.name)) == paths)
                let routes = DescribedRoute.all(document)
                #expect(routes.contains { $0.body != nil } && routes.contains { !$0.query.isEmpty })
                for route in routes {
                    for attack in Attack.all(route, document) {
                        let texts = [attack.size, 2 * attack.size].map { HostileText.marks($0) }
                        let name = "\(route.method.text) \(route.path), \(attack.name)"
                        let growth = try await Growth.of(onLoop: name, size: attack.size) { size in
                            _ = try await attack.send(program, texts[size == attack.size ? 0 : 1])
                        }
                        #expect(growth.isLinear, "\(growth)")
                    }
                }
            }
        } catch is ScriptError {
            // Some get as far as the store, which has no answer.
        }
    }
}
