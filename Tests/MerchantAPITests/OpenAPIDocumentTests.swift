import HTTPCore
import MerchantAPI
import MerchantOrders
import StrictJSON
import Testing

@Suite("The description of the interface")
struct OpenAPIDocumentTests {
    private func document() -> JSONValue {
        var shape = RouteDescription.Shape(.created, .session)
        shape.body = .object([.required("amount", .money)])
        shape.example = #"{"amount":{"amount":"1","currencyCode":"JPY"}}"#
        shape.problems = [.notReady]
        let make = RouteDescription(.post, "/v1/things/{id}/make", "makeThing", .sessionsWrite, "makes a thing", shape)
        return OpenAPIDocument.make([make, .openAPI], server: "https://pay.example.com", version: "1.2.3")
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
                "201", "400", "401", "403", "404", "408", "409", "413", "415", "422", "429", "500", "503",
            ]
        )
        #expect(responses["409"]?["description"]?.text?.contains("`not_ready`") == true)
        #expect(responses["404"]?["content"] != nil)
    }

    @Test func `needs no key to be read`() throws {
        let operation = try #require(document()["paths"]?["/v1/openapi.json"]?["get"])
        #expect(operation["security"]?.elements.isEmpty == true)
        #expect(operation["responses"]?.members.map(\.name) == ["200"])
    }

    @Test func `has every shape that it refers to`() throws {
        let text = document().description
        let schemas = document()["components"]?["schemas"]?.members.map(\.name) ?? []
        #expect(schemas.contains("Session") && schemas.contains("Amount") && schemas.contains("Problem"))
        for part in text.split(separator: "#/components/schemas/").dropFirst() {
            #expect(schemas.contains(String(part.prefix { $0 != "\"" })))
        }
    }
}
