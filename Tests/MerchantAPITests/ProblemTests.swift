import CheckoutCodes
import HTTPCore
import MerchantAPI
import MerchantOrders
import StrictJSON
import Testing
import Web

@Suite("A problem")
struct ProblemTests {
    @Test func `says its code, a sentence and the field`() {
        let problem = Failure(.invalidAmount, "secret", message: "No.", field: "lines[0].unitPrice")
        #expect(
            problem.problem.description
                == #"{"error":{"code":"invalid_amount","message":"No.","field":"lines[0].unitPrice"}}"#
        )
    }

    @Test func `has a sentence and a status for every code`() {
        for code in FailureCode.ofMerchantAPI {
            #expect(code.message.hasSuffix(".") && code.message.count > 10, "\(code)")
            #expect((400..<600).contains(code.status.code), "\(code)")
            #expect(code.name.allSatisfy { $0.isLowercase || $0 == "_" }, "\(code)")
        }
    }

    @Test func `has a name that no other code has`() {
        let codes = Set(FailureCode.ofMerchantAPI + FailureCode.ofCheckout)
        #expect(Set(codes.map(\.name)).count == codes.count)
        #expect(codes.count == FailureCode.ofMerchantAPI.count + FailureCode.ofCheckout.count - 12)
    }

    @Test func `cuts a field of the sender's making short`() {
        let problem = Failure(.invalidRequest, field: String(repeating: "x", count: 5_000))
        #expect(problem.field?.utf8.count == 200)
    }

    @Test func `tells what the provider said`() {
        let said = ProviderProblem(status: 422, reasonCode: "InvalidChargeStatus", requestID: nil)
        let problem = Failure(.providerFailed, context: said)
        #expect(
            problem.problem["error"]?["provider"]?.description == #"{"status":422,"reasonCode":"InvalidChargeStatus"}"#
        )
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
