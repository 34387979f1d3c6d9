import Foundation
import IntegrationKit
import StrictJSON
import Testing

/// Every text of every request, as long as the description allows, and one longer.
@Suite struct `The bounds of the description` {
    /// A request that has every member that holds a text, and where it goes.
    struct Sample: Sendable, CustomTestStringConvertible {
        let path: String
        let body: JSONValue
        /// Where the description has it.
        var template: String

        var testDescription: String { template }
    }

    private static let amount = MerchantClient.yen(1)
    private static let session = "/v1/sessions/00000000-0000-4000-8000-000000000000"
    private static let charge = "/v1/charges/S03-1234567-1234567-C123456"
    private static let challenge = String(repeating: "A", count: 43)
    private static let address: JSONValue = [
        "name": "n", "addressLine1": "1", "addressLine2": "2", "addressLine3": "3", "city": "c", "county": "c",
        "stateOrRegion": "s", "postalCode": "1", "countryCode": "JP", "phoneNumber": "0",
    ]
    private static let inDistrict: JSONValue = .object(
        address.members.map { $0.name == "county" ? JSONMember("district", "d") : $0 }
    )

    private static let samples: [Sample] = [
        Sample(
            path: "/v1/sessions",
            body: MerchantClient.order(
                client: "site",
                [
                    JSONMember("note", "n"), JSONMember("codeChallenge", .string(challenge)),
                    JSONMember("adjustments", [["name": "a", "amount": amount]]),
                ]
            ),
            template: "/v1/sessions"
        ),
        Sample(
            path: "/v1/sessions",
            body: MerchantClient.order(
                client: "site",
                [JSONMember("postage", ["callback": "https://shop.example.com/postage"])]
            ),
            template: "/v1/sessions"
        ),
        Sample(path: "/v1/sessions", body: MerchantClient.appOrder(address), template: "/v1/sessions"),
        Sample(
            path: session + "/finalize",
            body: [
                "checkoutSessionId": "00000000-0000-4000-8000-000000000000",
                "appProof": .string("swp_" + challenge), "codeVerifier": .string(challenge),
                "shippingAddress": inDistrict,
            ],
            template: "/v1/sessions/{id}/finalize"
        ),
        Sample(
            path: session + "/charges",
            body: ["amount": amount, "captureNow": true, "softDescriptor": "s"],
            template: "/v1/sessions/{id}/charges"
        ),
        Sample(path: session + "/close", body: ["reason": "r"], template: "/v1/sessions/{id}/close"),
        Sample(
            path: charge + "/capture",
            body: ["amount": amount, "softDescriptor": "s"],
            template: "/v1/charges/{chargeId}/capture"
        ),
        Sample(path: charge + "/cancel", body: ["reason": "r"], template: "/v1/charges/{chargeId}/cancel"),
        Sample(
            path: charge + "/refunds",
            body: ["amount": amount, "softDescriptor": "s"],
            template: "/v1/charges/{chargeId}/refunds"
        ),
    ]

    @Test(arguments: samples)
    func `are those of the program`(sample: Sample) async throws {
        let options = ShopOptions.merchants([
            "merchant.postage_origins": "https://shop.example.com", "merchant.secret_file": try HookedShop.secretPath(),
        ])
        try await withShop(options) { shop in
            let merchant = try await shop.merchant()
            let document = try await merchant.get("/v1/openapi.json").body
            let operation = document["paths"]?[sample.template]?["post"]
            let shape = try #require(operation?["requestBody"]?["content"]?["application/json"]?["schema"])
            let bounds = DescribedTexts(document).all(of: sample.body, shape)
            #expect(bounds.count >= 1)
            for bound in bounds {
                let (longest, longer) = try bound.edge()
                let taken = try await merchant.post(sample.path, bound.replacing(sample.body, longest))
                #expect(!refusesForm(taken, of: bound), "\(bound.field), \(longest.count): \(taken.text)")
                let refused = try await merchant.post(sample.path, bound.replacing(sample.body, longer))
                #expect(refusesForm(refused, of: bound), "\(bound.field), \(longer.count): \(refused.text)")
            }
        }
    }

    /// Whether a text was refused as it is written, whatever else may be wrong with the request.
    private func refusesForm(_ reply: MerchantReply, of bound: DescribedText) -> Bool {
        let error = reply.body
        let field = error["field"]?.text
        switch error["code"]?.text {
        case "invalid_request": return field == bound.field
        // An amount is one member for the program.
        case "invalid_amount":
            let isWritten = error["detail"]?.text?.hasPrefix("An amount is") == false
            return !isWritten && field.map { $0 + ".amount" } == bound.field
        // Ids and secrets of another form are those of another session.
        case "order_mismatch", "proof_mismatch": return field == bound.field
        default: return false
        }
    }
}

/// A text in a request, with what the description says of it.
private struct DescribedText {
    enum Step {
        case member(String)
        case element
    }

    let steps: [Step]
    /// As the program names it.
    let field: String
    let value: String
    let pattern: String?
    let maximum: Int?

    /// The longest text that the description allows and the shortest that it does not.
    func edge() throws -> (longest: String, longer: String) {
        for pad in ["a", "0"] {
            var last = value
            while last.count < 3_000, try isTaken(last + pad) { last += pad }
            if last != value { return (last, last + pad) }
        }
        // It has one length.
        return (value, value + "a")
    }

    private func isTaken(_ text: String) throws -> Bool {
        if let maximum, text.count > maximum { return false }
        guard let pattern else { return true }
        let range = NSRange(text.startIndex..., in: text)
        return try NSRegularExpression(pattern: pattern).firstMatch(in: text, range: range) != nil
    }

    func replacing(_ body: JSONValue, _ text: String) -> JSONValue {
        func replace(_ value: JSONValue, _ rest: ArraySlice<Step>) -> JSONValue {
            switch rest.first {
            case nil: return .string(text)
            case .element:
                return .array([replace(value.elements[0], rest.dropFirst())] + value.elements.dropFirst())
            case .member(let name):
                return .object(
                    value.members.map {
                        $0.name == name ? JSONMember(name, replace($0.value, rest.dropFirst())) : $0
                    }
                )
            }
        }
        return replace(body, steps[...])
    }
}

/// Finds the texts of a request in the description.
private struct DescribedTexts {
    let document: JSONValue

    init(_ document: JSONValue) {
        self.document = document
    }

    func all(of body: JSONValue, _ shape: JSONValue) -> [DescribedText] {
        find(body, shape, [], "")
    }

    private func find(
        _ value: JSONValue,
        _ shape: JSONValue,
        _ steps: [DescribedText.Step],
        _ field: String
    ) -> [DescribedText] {
        let shape = resolved(shape)
        switch value {
        case .string(let text):
            // Words of a list have no length.
            guard shape["type"]?.text == "string", shape["enum"] == nil else { return [] }
            let (pattern, maximum) = (shape["pattern"]?.text, shape["maxLength"]?.integer)
            return [DescribedText(steps: steps, field: field, value: text, pattern: pattern, maximum: maximum)]
        case .array(let elements):
            guard let first = elements.first, let items = shape["items"] else { return [] }
            return find(first, items, steps + [.element], field + "[0]")
        case .object(let members):
            return members.flatMap { member -> [DescribedText] in
                let steps = steps + [.member(member.name)]
                let field = field.isEmpty ? member.name : "\(field).\(member.name)"
                let inner = shape["properties"]?[member.name] ?? shape["additionalProperties"]
                return inner.map { find(member.value, $0, steps, field) } ?? []
            }
        default: return []
        }
    }

    /// Without a reference, and without the choice between something and nothing.
    private func resolved(_ shape: JSONValue) -> JSONValue {
        if let name = shape["$ref"]?.text?.split(separator: "/").last {
            return document["components"]?["schemas"]?[String(name)] ?? shape
        }
        let choices = shape["oneOf"]?.elements ?? []
        guard choices.count == 2, choices[1]["type"]?.text == "null" else { return shape }
        return resolved(choices[0])
    }
}
