import Primitives
import Testing
import Web

@testable import ServiceAPI

@Suite("A commit whose outcome is unknown")
struct UnknownOutcomeTests {
    private func refusal(_ error: any Error) async -> Failure? {
        do throws(Failure) {
            try await Failure.mapErrors { throw error }
            return nil
        } catch {
            return error
        }
    }

    @Test func `has a code of its own below v1`() async throws {
        let failure = try #require(await refusal(StoreError(.outcomeUnknown, "lost"))).forServiceAPI
        #expect(failure.code == .outcomeUnknown)
        #expect(failure.retryAfter == 5)
    }

    @Test func `is unavailable on pages, with the same pause`() async throws {
        let failure = try #require(await refusal(StoreError(.outcomeUnknown, "lost")))
        #expect(failure.code == .unavailable)
        #expect(failure.retryAfter == 5)
    }

    @Test func `is not what a store that is away becomes below v1`() async throws {
        let failure = try #require(await refusal(StoreError(.unavailable, "away"))).forServiceAPI
        #expect(failure.code == .unavailable)
    }

    @Test func `leaves a refusal of the body as it is`() async throws {
        #expect(await refusal(Failure(.rateLimited, retryAfter: 7))?.retryAfter == 7)
    }
}
