import MerchantAPI
import Primitives
import Testing
import Web

@testable import Checkout

@Suite("A commit whose outcome is unknown")
struct UnknownOutcomeTests {
    private func refusal() async -> Failure? {
        do throws(Failure) {
            try await Failure.mapErrors { () async throws(StoreError) in throw StoreError(.outcomeUnknown, "lost") }
            return nil
        } catch {
            return error
        }
    }

    @Test func `has a code of its own below v1`() async throws {
        let failure = try #require(await refusal())
        #expect(failure.code == .outcomeUnknown)
        #expect(failure.retryAfter == 5)
    }

    @Test func `is unavailable on pages, with the same pause`() async throws {
        let failure = try #require(await refusal()).forPages
        #expect(failure.code == .unavailable)
        #expect(failure.retryAfter == 5)
    }

    @Test func `is the only failure that pages show differently`() {
        #expect(Failure(.rateLimited, retryAfter: 7).forPages.code == .rateLimited)
    }
}
