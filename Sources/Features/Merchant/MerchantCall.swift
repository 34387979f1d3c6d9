import Checkout
import CheckoutCodes
import HTTPCore
import MerchantAPI
import MerchantOrders
import Primitives
import ServiceAPI
import SessionBroker
import StrictJSON
import Web

/// One request of a merchant's program that was let in; what a handler below `/v1` is given.
///
/// It holds what it needs of the request, so that a handler may go on when the client has hung up.
struct MerchantCall {
    /// What the request said, taken out of it.
    struct Content {
        let method: String
        let path: String
        /// The ids in the path, in order.
        let ids: [String]
        let query: [(name: String, value: String)]
        let body: [UInt8]
        /// The word of `Idempotency-Key`, where there is one.
        let idempotencyKey: IdempotencyWord?
        let requestID: String
        let caller: Caller
    }

    /// What the loop offers.
    let checkout: CheckoutPart
    /// What the interface offers.
    let merchant: MerchantServices
    /// The key, as the request showed it.
    let key: APIKey
    /// What the key opens.
    let grant: KeyGrant
    private let content: Content
    /// The content as JSON; `nil` where there is none.
    private let json: Result<JSONValue, JSONError>?

    init(_ checkout: CheckoutPart, _ merchant: MerchantServices, key: APIKey, grant: KeyGrant, _ content: Content) {
        self.checkout = checkout
        self.merchant = merchant
        self.key = key
        self.grant = grant
        self.content = content
        json = content.body.isEmpty ? nil : MerchantCall.parse(content.body)
    }

    /// What is the same for every loop.
    var deployment: Deployment { checkout.deployment }

    /// Where the request comes from, as far as the audit trail may remember it.
    var caller: Caller { content.caller }

    /// An id in the path.
    ///
    /// - Parameter index: From zero.
    /// - Returns: Empty where the path has fewer.
    func parameter(_ index: Int) -> String {
        index < content.ids.count ? content.ids[index] : ""
    }

    /// The id of a session in the path.
    ///
    /// - Parameter index: From zero.
    /// - Throws: `not_found` for what can be no id, as for one that does not exist.
    func webviewSession(_ index: Int = 0) throws(Failure) -> WebviewSessionID {
        guard let webviewSession = UUIDBytes(parameter(index)) else { throw Failure(.notFound) }
        return webviewSession
    }

    /// The parameters of the query.
    ///
    /// - Parameters:
    ///   - nonEmpty: Those of them that are refused when they are empty: the list would answer with other sessions.
    /// - Returns: By name; empty ones are left out.
    /// - Throws: `invalid_request` for another name, one that comes twice, or an empty one of `nonEmpty`.
    func query(_ known: [String], nonEmpty: [String] = []) throws(Failure) -> [OctetText: String] {
        var found: [OctetText: String] = [:]
        for (name, value) in content.query {
            guard known.contains(where: { $0.octets == name.octets }) else {
                throw Failure(.invalidRequest, message: "There is no such parameter.", field: name)
            }
            guard case .none = found[name.octets] else {
                throw Failure(.invalidRequest, message: "The parameter comes twice.", field: name)
            }
            if value.isEmpty, nonEmpty.contains(where: { $0.octets == name.octets }) {
                throw Failure(.invalidRequest, message: "The parameter is empty.", field: name)
            }
            found[name.octets] = value
        }
        return found.filter { !$0.value.isEmpty }
    }

    /// The content of the request.
    ///
    /// - Returns: A reader of the object; ask for every member, then call `end`.
    /// - Throws: `invalid_request` for what is no JSON object.
    func body() throws(Failure) -> JSONReader {
        let value: JSONValue
        do throws(JSONError) {
            value = try (json ?? MerchantCall.parse(content.body)).get()
        } catch {
            throw Failure(error)
        }
        return try Failure.reading { () throws(JSONRefusal) in try JSONReader(value) }
    }

    /// The content of a request that may have none.
    ///
    /// - Returns: A reader of the object, or of an empty one.
    /// - Throws: `invalid_request` for what is no JSON object.
    func optionalBody() throws(Failure) -> JSONReader {
        guard content.body.isEmpty else { return try body() }
        return try Failure.reading { () throws(JSONRefusal) in try JSONReader([:]) }
    }

    private static func parse(_ body: [UInt8]) -> Result<JSONValue, JSONError> {
        Result { () throws(JSONError) in try JSONParser.parse(body, depth: depth) }
    }

    /// Deeper than any message is nested.
    private static let depth = 8

    // MARK: Repeats

    /// The right to carry the request out once.
    ///
    /// - Returns: To be taken before anything has an effect.
    /// - Throws: `idempotency_key_missing`; the router has refused those before.
    func claim() throws(Failure) -> IdempotencyClaim {
        guard let word = content.idempotencyKey else { throw Failure(.idempotencyKeyMissing) }
        let fingerprint = RequestFingerprint(
            content.method,
            content.path,
            content.body,
            using: merchant.hasher
        ) { bytes in
            guard case .success(let value) = json else { return false }
            value.appendSorted(to: &bytes)
            return true
        }
        return IdempotencyClaim(
            scope: merchant.account.claimScope,
            key: grant.id,
            word: word,
            fingerprint: fingerprint
        )
    }

    /// Carries a request out that may be carried out twice without harm, and keeps its answer for repeats.
    ///
    /// Not for what moves money: that claims in the very statement that begins it.
    ///
    /// - Returns: The answer, or the kept one.
    /// - Throws: What the body throws; `request_in_progress`, `idempotency_key_reused`.
    func idempotently(
        _ webviewSession: WebviewSessionID,
        _ body: () async throws(Failure) -> MerchantAnswer
    ) async throws(Failure) -> MerchantAnswer {
        let claim = try claim()
        let outcome = try await Failure.mapErrors {
            try await merchant.keys.take(claim, webviewSession: webviewSession)
        }
        let end: WallTime
        switch outcome {
        case .taken(let until): end = until
        case .others(let state): return try replay(state)
        }
        let answer: MerchantAnswer
        do throws(Failure) {
            answer = try await body()
        } catch {
            let problem = error.forMerchantAPI
            await keep(problem, claim, until: end)
            throw problem
        }
        await keep(StoredAnswer(status: answer.status.code, body: answer.body), claim, until: end)
        return answer
    }

    /// The answer to a request that was carried out before, or is at the moment.
    ///
    /// - Returns: The kept answer, which is not sealed.
    /// - Throws: `request_in_progress`, `idempotency_key_reused`.
    func replay(_ state: ClaimState) throws(Failure) -> MerchantAnswer {
        switch state {
        case .answered(let answer, let webviewSession):
            guard let status = HTTPStatus(answer.status) else {
                throw Failure(.internalError, "a kept answer with status \(answer.status)")
            }
            var replayed = MerchantAnswer(status, bytes: answer.body, webviewSession: webviewSession)
            replayed.isReplayed = true
            return replayed
        case .running(let seconds): throw Failure(.requestInProgress, retryAfter: seconds)
        case .reused: throw Failure(.idempotencyKeyReused)
        // It was there a moment ago: its time had come.
        case .absent: throw Failure(.requestInProgress)
        }
    }

    /// A refusal is kept as an answer, unless it is for a reason that passes.
    private func keep(_ problem: Failure, _ claim: IdempotencyClaim, until end: WallTime) async {
        let status = problem.code.status.code
        let passes = status >= 500 || problem.retryAfter != nil
        if !passes {
            let body = problem.problem(inRequest: content.requestID)
            return await keep(StoredAnswer(status: status, body: body), claim, until: end)
        }
        do throws(StoreError) {
            try await merchant.keys.release(claim, until: end)
        } catch {
            merchant.note(error.failure.forMerchantAPI, content.requestID)
        }
    }

    private func keep(_ answer: StoredAnswer, _ claim: IdempotencyClaim, until end: WallTime) async {
        do throws(StoreError) {
            try await merchant.keys.answer(claim, until: end, answer)
        } catch {
            // The claim runs out, and a repeat finds out by itself what there is.
            merchant.note(error.failure.forMerchantAPI, content.requestID)
        }
    }
}

/// The answer of a handler below `/v1`.
struct MerchantAnswer {
    let status: HTTPStatus
    /// JSON.
    let body: [UInt8]
    /// For `Webview-Session-Id`.
    let webviewSession: WebviewSessionID?
    /// Seconds for `Retry-After`, where there will be more to say.
    var retryAfter: Int?
    /// Whether it is the kept answer of an earlier request.
    var isReplayed = false

    /// An answer.
    ///
    /// - Parameters:
    ///   - status: 200, 201 or 202.
    init(_ status: HTTPStatus, _ body: JSONValue, webviewSession: WebviewSessionID?) {
        self.init(status, bytes: body.bytes, webviewSession: webviewSession)
    }

    /// An answer that is rendered already.
    init(_ status: HTTPStatus, bytes: [UInt8], webviewSession: WebviewSessionID?) {
        self.status = status
        body = bytes
        self.webviewSession = webviewSession
    }
}
