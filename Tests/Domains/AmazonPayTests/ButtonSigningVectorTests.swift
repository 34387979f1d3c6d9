import AmazonPay
import Cryptography
import Foundation
import Testing

@Suite("A signed button payload")
struct ButtonSigningVectorTests {
    struct Vector: Decodable, Sendable, CustomTestStringConvertible {
        let name: String
        let algorithm: String
        let saltLength: Int32
        let payloadJSON: String
        let stringToSign: String?
        let signature: String

        var testDescription: String { name }
    }

    private struct File: Decodable {
        let valid: [Vector]
        let negative: [Vector]
    }

    private static let file: File? = try? VectorFiles.decode("button-signing.json")
    static let valid = file?.valid ?? []
    static let negative = file?.negative ?? []

    @Test func `comes in 14 good and 8 bad samples`() {
        #expect(ButtonSigningVectorTests.valid.count == 14)
        #expect(ButtonSigningVectorTests.negative.count == 8)
    }

    @Test(arguments: valid)
    func `has the vector's string to sign and verifies`(vector: Vector) throws {
        let algorithm = try #require(SigningAlgorithm(rawValue: vector.algorithm))
        let octets = Array(vector.payloadJSON.utf8)
        #expect(algorithm.saltLength == vector.saltLength)
        #expect(StringToSign(for: octets, algorithm).text == vector.stringToSign)
        #expect(try isGood(vector, algorithm))
    }

    @Test(arguments: valid)
    func `signed by us over the same octets verifies`(vector: Vector) async throws {
        let algorithm = try #require(SigningAlgorithm(rawValue: vector.algorithm))
        let signer = ButtonSigner(try TestAccount.credentials(algorithm))
        let signature = try await signer.sign(octets: Array(vector.payloadJSON.utf8), TestAccount.inPlace)
        #expect(signature.payloadJSON == vector.payloadJSON)
        #expect(signature.signature != vector.signature)
        let key = try VectorFiles.merchantKey()
        let octets = Array(signature.payloadJSON.utf8)
        #expect(ButtonVerifier.isGood(payload: octets, signature: signature.signature, algorithm: algorithm, key: key))
    }

    @Test(arguments: negative)
    func `that is bad is refused`(vector: Vector) throws {
        let algorithm = try #require(SigningAlgorithm(rawValue: vector.algorithm))
        #expect(try !isGood(vector, algorithm))
    }

    private func isGood(_ vector: Vector, _ algorithm: SigningAlgorithm) throws -> Bool {
        ButtonVerifier.isGood(
            payload: Array(vector.payloadJSON.utf8),
            signature: vector.signature,
            algorithm: algorithm,
            key: try VectorFiles.merchantKey()
        )
    }
}
