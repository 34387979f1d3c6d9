import CheckoutCodes
import HTTPCore
import MerchantAPI
import MerchantOrders
import ServiceAPI
import StrictJSON
import Testing

@Suite("The description of the interface")
struct OpenAPIDocumentTests {
    private func document() -> JSONValue {
        var shape = RouteDescription.Shape(.created, .session, .session)
        shape.body = .object([.required("amount", .money)])
        shape.example = #"{"amount":{"amount":"1","currencyCode":"JPY"}}"#
        shape.problems = [.notReady]
        let make = RouteDescription(
            .post,
            "/v1/things/{id}/make",
            "makeThing",
            .payments,
            .sessionsWrite,
            "makes a thing",
            shape
        )
        return description([make], version: "1.2.3")
    }

    @Test func `has a path with its places, scope, key of the request and example`() throws {
        let operation = try #require(document()["paths"]?["/v1/things/{id}/make"]?["post"])
        #expect(operation["operationId"]?.text == "makeThing")
        #expect(operation["security"]?.description == #"[{"key":["sessions:write"]}]"#)
        #expect(operation["parameters"]?.elements.compactMap { $0["name"]?.text } == ["id", "Idempotency-Key"])
        let content = operation["requestBody"]?["content"]?["application/json"]
        #expect(content?["example"]?["amount"]?["amount"]?.text == "1")
        #expect(content?["schema"]?["required"]?.description == #"["amount"]"#)
    }

    @Test func `says what can go wrong, by status`() throws {
        let responses = try #require(document()["paths"]?["/v1/things/{id}/make"]?["post"]?["responses"])
        #expect(
            responses.members.map(\.name) == [
                "201", "400", "401", "403", "404", "405", "408", "409", "413", "415", "422", "429", "500", "503",
            ]
        )
        #expect(responses["409"]?["description"]?.text?.contains("`not_ready`") == true)
        #expect(responses["404"]?["content"]?.members.map(\.name) == ["application/problem+json"])
    }

    @Test func `says of which group an operation is, and what the group is`() {
        #expect(document()["paths"]?["/v1/things/{id}/make"]?["post"]?["tags"]?.description == #"["payments"]"#)
        #expect(document()["tags"]?.elements.map { $0["name"]?.text } == ["payments", "description"])
        #expect(document()["tags"]?.elements.allSatisfy { $0["description"]?.text?.isEmpty == false } == true)
    }

    @Test func `needs no key to be read`() throws {
        let operation = try #require(document()["paths"]?["/v1/openapi.json"]?["get"])
        #expect(operation["security"]?.elements.isEmpty == true)
        #expect(operation["responses"]?.members.map(\.name) == ["200", "304"])
    }

    @Test(arguments: ["schemas", "headers", "examples"])
    func `has everything that it refers to`(group: String) throws {
        let text = document().description
        let names = document()["components"]?[group]?.members.map(\.name) ?? []
        #expect(names.count > 3)
        let parts = text.split(separator: "#/components/\(group)/").dropFirst()
        #expect(parts.count > 10)
        for part in parts { #expect(names.contains(String(part.prefix { $0 != "\"" }))) }
    }

    @Test func `says which fields an answer has`() throws {
        let responses = try #require(document()["paths"]?["/v1/things/{id}/make"]?["post"]?["responses"])
        let wanted = [
            "201": "Webview-Session-Id", "401": "WWW-Authenticate", "405": "Allow", "409": "Retry-After",
            "429": "Retry-After",
        ]
        for (status, name) in wanted {
            let names = responses[status]?["headers"]?.members.map(\.name) ?? []
            #expect(names.contains(name) && names.contains("X-Request-Id"), "\(status): \(names)")
            #expect(names.contains("Idempotent-Replayed") == ["201", "409"].contains(status), "\(status): \(names)")
            for name in ["RateLimit", "RateLimit-Policy"] {
                #expect(names.contains(name) == !["401", "405"].contains(status), "\(status): \(names)")
            }
        }
    }

    @Test func `leaves room for new members in what is answered, and none in what is sent`() throws {
        let operation = try #require(document()["paths"]?["/v1/things/{id}/make"]?["post"])
        let sent = operation["requestBody"]?["content"]?["application/json"]?["schema"]
        #expect(sent?["additionalProperties"]?.description == "false")
        // Requests hold amounts too, but answers grow.
        let schemas = try #require(document()["components"]?["schemas"])
        for schema in schemas.members {
            let isClosed = schema.value.description.contains(#""additionalProperties":false"#)
            #expect(isClosed == schema.name.hasSuffix("Input"), "\(schema.name)")
        }
    }

    @Test func `tells of every event, and of the question for a postage`() throws {
        let create = description([.createSession], events: ["session.paid", "charge.captured"])
        let webhooks = try #require(create["webhooks"])
        #expect(webhooks.members.map(\.name) == ["session.paid", "charge.captured"])
        for webhook in webhooks.members {
            let operation = webhook.value["post"]
            let schema = operation?["requestBody"]?["content"]?["application/json"]?["schema"]
            #expect(schema?["$ref"]?.text == "#/components/schemas/Event")
            #expect(operation?["parameters"]?.elements.first?["name"]?.text == "webhook-id")
        }
        let callback = create["paths"]?["/v1/sessions"]?["post"]?["callbacks"]?["postage"]
        let question = callback?["{$request.body#/postage/callback}"]?["post"]
        #expect(question?["requestBody"] != nil && question?["responses"]?["200"] != nil)
        #expect(create["components"]?["schemas"]?["PostageQuestion"] != nil)
    }
}
