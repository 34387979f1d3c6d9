import AppStoreTransactions
import EventIO
import Primitives
import ServerCore
import ServiceAPI
import Telemetry
import Web

// What Apple's server is asked for.

extension AppStorePart {
    /// The verified purchase of an id, as Apple's server knows it now.
    ///
    /// - Parameter environments: Asked in this order; where one does not know the purchase the next one may.
    /// - Throws: `transaction_unknown`, `app_store_unavailable`, `app_store_off`, or why the text is refused.
    func fetch(
        _ id: String,
        in environments: [AppStoreEnvironment],
        at now: WallTime
    ) async throws(Failure) -> Transaction {
        guard let server else { throw Failure(.appStoreOff, context: SubmissionContext(finish: false)) }
        for environment in environments where environment.isSigned {
            let text: String
            do throws(ServerAPIProblem) {
                text = try await server.call(try .transaction(id), in: environment, SignedAnswer.transaction)
            } catch {
                if case .refused(let failure) = error, failure.isTransactionUnknown { continue }
                throw Failure(error)
            }
            return try await verified(text, id, environment, at: now)
        }
        throw Failure(.transactionUnknown, context: SubmissionContext(finish: false))
    }

    private func verified(
        _ text: String,
        _ id: String,
        _ environment: AppStoreEnvironment,
        at now: WallTime
    ) async throws(Failure) -> Transaction {
        do throws(SignedTextRefusal) {
            let transaction = try await verified(text, of: environment, at: now)
            guard transaction.id.octets == id.octets else { throw .wrongKind(.identifier) }
            return transaction
        } catch {
            throw Failure(error)
        }
    }

    /// The verified purchase of a text that Apple's server has given; counted.
    func verified(
        _ text: String,
        of environment: AppStoreEnvironment,
        at now: WallTime
    ) async throws(SignedTextRefusal) -> Transaction {
        do throws(SignedTextRefusal) {
            let transaction = try process.verifiers.transaction(Array(text.utf8), of: environment, at: now)
            try await demandStanding(Array(text.utf8), of: environment, at: now)
            metrics.countVerified()
            return transaction
        } catch {
            metrics.count(error)
            throw error
        }
    }
}

extension ServerAPIRequest {
    /// One transaction, by its own identifier.
    fileprivate static func transaction(_ id: String) throws(ServerAPIProblem) -> ServerAPIRequest {
        do throws(ServerAPIRequestError) {
            return try transactionInfo(id)
        } catch {
            throw .refused(ServerAPIFailure(status: 400, body: []))
        }
    }
}

extension ServerAPIFailure {
    /// Whether the server says that it does not know the transaction, or that this can be no id of one.
    var isTransactionUnknown: Bool { isTransactionElsewhere || status == 400 }
}

extension Failure {
    /// Apple's server has not said what it was asked; the app keeps the transaction.
    init(_ problem: ServerAPIProblem) {
        let context = SubmissionContext(finish: false)
        switch problem {
        case .off: self.init(.appStoreOff, context: context)
        case .later(let time):
            let seconds = max(1, time.seconds - SystemClock().now().seconds)
            self.init(
                .appStoreUnavailable,
                problem.sentence,
                retryAfter: Int(clamping: min(seconds, 3_600)),
                context: context
            )
        case .noServer, .credentials, .refused, .unavailable:
            self.init(.appStoreUnavailable, problem.sentence, context: context)
        }
    }
}
