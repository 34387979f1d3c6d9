import CheckoutCodes
import HTTPCore
import MerchantAPI
import MerchantOrders
import Primitives
import ServiceAPI
import StrictJSON
import Testing
import Web

@Suite("A problem")
struct ProblemTests {
    private static let codes = Set(RouteDescription.refusing.flatMap(\.refusals))

    @Test func `says its code, a sentence and the field`() {
        let problem = Failure(.invalidAmount, "secret", message: "No: \"1\".", field: "lines[0].unitPrice")
        #expect(
            String(decoding: problem.problem(inRequest: "a1b2"), as: UTF8.self)
                == #"{"type":"/v1/openapi.json#/components/examples/invalid_amount","title":"Invalid amount","status":400,"#
                + #""detail":"No: \"1\".","instance":"request:a1b2","code":"invalid_amount","field":"lines[0].unitPrice"}"#
                + "\n"
        )
    }

    @Test func `is of a type that the description explains`() throws {
        let document = description(RouteDescription.refusing)
        for code in Self.codes {
            let type = try #require(Failure(code).json["type"]?.text)
            let place = try #require(type.split(separator: "#").last).split(separator: "/").map(String.init)
            #expect(type.hasPrefix("/v1/openapi.json#/"))
            let example = place.reduce(document as JSONValue?) { $0?[$1] }
            #expect(example?["summary"]?.text == code.message)
            #expect(example?["value"]?["code"]?.text == code.name && example?["value"]?["type"]?.text == type)
        }
    }

    @Test func `of an operation is the same for each request for it`() {
        let said = ProviderProblem(status: 422, reasonCode: "HardDeclined", requestID: nil)
        let id = UUIDBytes(high: 1, low: 2)
        let problem = Failure(.providerRefused, context: RefusedOperation(id: id, provider: said))
        #expect(problem.problem(inRequest: "a") == problem.problem(inRequest: "b"))
        #expect(problem.json["instance"]?.text == "operation:\(id)")
        #expect(problem.json["provider"]?["reasonCode"]?.text == "HardDeclined")
    }

    @Test func `names the rule that a key breaks`() {
        let long = String(repeating: "a", count: 256)
        let sentences = [("", "empty"), (long, "256 characters"), ("order 1", "Octet 6 "), ("\"a", "quotation marks")]
        for (value, words) in sentences {
            let refusal = #expect(throws: IdempotencyWord.Refusal.self) { try IdempotencyWord(reading: value) }
            let problem = refusal.map { Failure($0) }
            #expect(problem?.code == .idempotencyKeyInvalid && problem?.field == "Idempotency-Key")
            #expect(problem?.message.contains(words) == true, "\(value)")
        }
    }

    @Test func `has a sentence and a status for every code`() {
        for code in Self.codes {
            #expect(code.message.hasSuffix(".") && code.message.count > 10, "\(code)")
            #expect((400..<600).contains(code.status.code), "\(code)")
            #expect(code.name.allSatisfy { $0.isLowercase || $0 == "_" }, "\(code)")
        }
    }

    @Test func `has a name that no other code has`() {
        let codes = Self.codes.union(FailureCode.ofCheckout)
        #expect(Set(codes.map(\.name)).count == codes.count)
        #expect(Self.codes.count == 43)
    }

    @Test func `cuts a field of the sender's making short`() {
        let problem = Failure(.invalidRequest, field: String(repeating: "x", count: 5_000))
        #expect(problem.field?.utf8.count == 200)
    }

    @Test func `tells what the provider said`() {
        let said = ProviderProblem(status: 422, reasonCode: "InvalidChargeStatus", requestID: nil)
        let problem = Failure(.providerFailed, context: said)
        #expect(problem.json["provider"]?.description == #"{"status":422,"reasonCode":"InvalidChargeStatus"}"#)
    }

    @Test func `names the member that a body lacks or has too many`() throws {
        let cases = [(#"{}"#, "id"), (#"{"id":1}"#, "id"), (#"{"id":"a","x":1}"#, "x")]
        for (text, field) in cases {
            let value = try JSONParser.parse(Array(text.utf8))
            let problem = #expect(throws: Failure.self) {
                try Failure.reading { () throws(JSONRefusal) in
                    var reader = try JSONReader(value)
                    _ = try reader.text("id")
                    try reader.end()
                }
            }
            #expect(problem?.code == .invalidRequest)
            #expect(problem?.field == field, "\(text)")
        }
    }
}

extension Failure {
    /// The problem, read.
    var json: JSONValue { (try? JSONParser.parse(problem(inRequest: "a1b2"))) ?? .null }
}
