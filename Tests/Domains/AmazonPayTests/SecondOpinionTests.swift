import AmazonPay
import Cryptography
import EventIO
import Foundation
import TestKit
import Testing

@Suite("The OpenSSL command line")
struct SecondOpinionTests {
    /// Verifies with `openssl dgst`, which this project's own code has no part in.
    private func opinion(_ string: String, _ signature: [UInt8], saltLength: Int32) async throws -> Bool {
        try await withTemporaryFolder { folder in
            try Files.write(folder + "/string", Array(string.utf8), atomically: false)
            try Files.write(folder + "/signature", signature, atomically: false)
            let plan = ChildPlan(
                "/usr/bin/openssl",
                [
                    "dgst", "-sha256", "-verify", VectorFiles.url("merchant-public.pem").path, "-sigopt",
                    "rsa_padding_mode:pss", "-sigopt", "rsa_pss_saltlen:\(saltLength)", "-signature",
                    folder + "/signature", folder + "/string",
                ]
            )
            return try plan.run(atMost: .seconds(300)).exit.isSuccess
        }
    }

    @Test(arguments: SigningAlgorithm.allCases)
    func `accepts our signatures under the right salt length only`(algorithm: SigningAlgorithm) async throws {
        let signer = ButtonSigner(try TestAccount.credentials(algorithm))
        let button = try await signer.sign(octets: Array("{}".utf8), TestAccount.inPlace)
        let bytes = try #require(Base64.decode(button.signature))
        let string = StringToSign(for: Array("{}".utf8), algorithm).text
        let isGood = try await opinion(string, bytes, saltLength: algorithm.saltLength)
        #expect(isGood)
        let isGoodUnderAnother = try await opinion(string, bytes, saltLength: 52 - algorithm.saltLength)
        #expect(!isGoodUnderAnother)
        let isGoodForAnother = try await opinion(string + " ", bytes, saltLength: algorithm.saltLength)
        #expect(!isGoodForAnother)
    }
}
