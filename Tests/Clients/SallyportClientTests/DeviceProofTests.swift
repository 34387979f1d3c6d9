import Foundation
import SallyportClient
import Testing

/// An app on phones, its shop and Apple's service, over sockets.
@Suite("The device of an app") struct DeviceProofTests {
    @Test func `gets a gift once, whoever signs in there`() async throws {
        try await withDeviceShop { shop in
            let phone = try await shop.phone()
            let (first, second) = (try await shop.app(on: phone).proof, try await shop.app(on: phone).proof)
            let found = try await first.check("free-trial")
            #expect(found.decision == .allow && found.state == "new" && !found.hasIt)
            let taken = try await first.claim("free-trial")
            #expect(taken.decision == .allow && taken.hasIt)
            let other = try await second.claim("free-trial")
            #expect(other.decision == .deny && other.reason == "state-refused" && other.state == "trial-used")
            #expect(!other.hasIt && other.lastUpdate?.count == 7)
            #expect(phone.tokens == 3, "each question has a token of its own")
        }
    }

    @Test func `whose gift's answer was lost has it when the app asks again`() async throws {
        try await withDeviceShop { shop in
            let (proof, transport) = try await shop.app(on: try await shop.phone())
            await transport.loseAnswers(1)
            await #expect(throws: (any Error).self) { try await proof.claim("free-trial") }
            #expect(try await proof.claim("free-trial").hasIt)
        }
    }

    @Test func `makes another token where Apple does not take one, and not for ever`() async throws {
        try await withDeviceShop { shop in
            let phone = try await shop.phone()
            let proof = try await shop.app(on: phone).proof
            phone.spoil(1)
            #expect(try await proof.check("free-trial").decision == .allow)
            #expect(phone.tokens == 2)
            phone.spoil(9)
            #expect(try await proof.check("free-trial").decision == .unknown)
            #expect(phone.tokens == 5)
        }
    }

    @Test func `that makes no token does no better than one that was used`() async throws {
        try await withDeviceShop { shop in
            let proof = try await shop.app(on: try await shop.phone(isSupported: false)).proof
            let decision = try await proof.claim("free-trial")
            #expect(decision.decision == .deny && decision.reason == "device-unsupported" && !decision.hasIt)
            #expect(try await proof.check("sign-up").decision == .allow)
        }
    }

    @Test func `is told in words what the server does not know`() async throws {
        try await withDeviceShop { shop in
            let proof = try await shop.app(on: try await shop.phone()).proof
            let error = await #expect(throws: AccountError.self) { try await proof.check("no-such-purpose") }
            #expect(error?.code == "device_purpose_unknown" && error?.isFinal == true)
        }
    }
}
