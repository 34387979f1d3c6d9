import Checkout
import Commerce
import Postgres
import Primitives
import SessionBroker
import Testing

/// One webview session with all its tokens, as far as it has come.
struct Crossing: Sendable {
    var webviewSession: WebviewSessionID
    var ticket: LaunchTicket
    var proof: AppProof?
    var tab: TabToken?
    var client: ClientKind
    var verifier: CodeVerifier?

    func purchase(_ rig: Rig, reference: String = Rig.orderReference) throws -> PurchaseRequest {
        var request = PurchaseRequest(ticket: try returnTicket(rig), orderReference: reference)
        request.verifier = verifier
        if client == .browser { request.tab = tab } else { request.proof = proof }
        return request
    }

    func returnTicket(_ rig: Rig) throws -> ReturnTicket {
        rig.broker.returnTicket(of: try #require(tab))
    }
}

extension Rig {
    /// A webview session in state `issued`.
    func issued(_ client: ClientKind = .iosApp, verifier: String? = nil) async throws -> Crossing {
        let proof = broker.mintProof()
        var request = IssueRequest(client: client, order: try order(), proof: proof)
        let held = verifier.flatMap { CodeVerifier.parse($0) }
        request.challenge = held.flatMap { CodeChallenge.parse(Base64URL.encode($0.digest.bytes), method: "S256") }
        guard case .issued(let webviewSession) = try await broker.issue(request, by: caller()) else {
            throw Surprise("not issued")
        }
        return Crossing(
            webviewSession: webviewSession.ticket.webviewSession,
            ticket: webviewSession.ticket,
            proof: proof,
            client: client,
            verifier: held
        )
    }

    /// A webview session in state `opened`, not seen yet.
    func opened(_ client: ClientKind = .iosApp, verifier: String? = nil) async throws -> Crossing {
        var crossing = try await issued(client, verifier: verifier)
        let outcome = try await broker.open(crossing.ticket, tab: nil, proof: crossing.proof, by: caller())
        guard case .opened(let tab) = outcome else { throw Surprise("\(outcome)") }
        crossing.tab = tab.token
        return crossing
    }

    /// A webview session in state `reviewed`.
    func reviewed(_ client: ClientKind = .iosApp, verifier: String? = nil) async throws -> Crossing {
        let crossing = try await opened(client, verifier: verifier)
        try await review(crossing)
        return crossing
    }

    func review(_ crossing: Crossing, _ reference: String = Rig.orderReference) async throws {
        let tab = try #require(crossing.tab)
        let outcome = try await broker.review(tab, session(crossing.webviewSession, reference), by: caller())
        guard case .reviewed = outcome else { throw Surprise("\(outcome)") }
    }

    /// A webview session in state `placed`.
    func placed(_ client: ClientKind = .iosApp, verifier: String? = nil) async throws -> Crossing {
        let crossing = try await reviewed(client, verifier: verifier)
        _ = try await place(crossing)
        return crossing
    }

    @discardableResult func place(_ crossing: Crossing) async throws -> Placement {
        let tab = try #require(crossing.tab)
        let outcome = try await broker.place(tab, ticket: crossing.returnTicket(self), total: nil, by: caller())
        guard case .placed(let placement) = outcome else { throw Surprise("\(outcome)") }
        return placement
    }

    /// A webview session in state `purchasing`, with the attempt that holds the lease.
    func purchasing(_ client: ClientKind = .iosApp) async throws -> (Crossing, PurchaseAttempt) {
        let crossing = try await placed(client)
        let outcome = try await broker.purchase(crossing.purchase(self), by: caller())
        guard case .begin(let attempt) = outcome else { throw Surprise("\(outcome)") }
        return (crossing, attempt)
    }

    static let answer = Array(#"{"status":"200","message":"The order placed.","orderId":"X"}"#.utf8)

    /// A webview session in state `authorized`.
    func authorized(_ client: ClientKind = .iosApp) async throws -> Crossing {
        let (crossing, attempt) = try await purchasing(client)
        try await settle(attempt)
        return crossing
    }

    func settle(_ attempt: PurchaseAttempt) async throws {
        let end = Authorization(answer: Rig.answer, chargePermission: "S03-1", charge: "S03-1-C1")
        #expect(try await broker.settle(attempt, as: .authorized(end), by: caller()))
    }

    /// A webview session in any state.
    func webviewSession(in state: WebviewSessionState, _ client: ClientKind = .iosApp) async throws -> Crossing {
        switch state {
        case .issued: return try await issued(client)
        case .opened: return try await opened(client)
        case .reviewed: return try await reviewed(client)
        case .placed: return try await placed(client)
        case .purchasing: return try await purchasing(client).0
        case .authorized: return try await authorized(client)
        case .declined:
            let (crossing, attempt) = try await purchasing(client)
            #expect(try await broker.settle(attempt, as: .declined(reason: "Rejected"), by: caller()))
            return crossing
        case .canceled, .revoked, .expired:
            let crossing = try await placed(client)
            try admin.run(
                "UPDATE webview_session SET state = '\(state.rawValue)' WHERE webview_session_id = '\(crossing.webviewSession)'"
            )
            return crossing
        }
    }

    /// The state in the database.
    func state(_ crossing: Crossing) throws -> WebviewSessionState {
        let word = try #require(try cell(crossing, "state"))
        return try #require(WebviewSessionState(rawValue: word))
    }

    /// One cell of the webview session's row, as text.
    func cell(_ crossing: Crossing, _ expression: String) throws -> String? {
        let rows = try admin.rows(
            "SELECT \(expression) FROM webview_session WHERE webview_session_id = $1",
            [crossing.webviewSession.description]
        )
        return try #require(rows.first)[0]
    }

    /// Lets time pass for a webview session, by moving its deadlines back.
    func age(_ crossing: Crossing, seconds: Int) throws {
        let columns = [
            "created_at", "launch_until", "idle_until", "absolute_until", "tab_seen_at", "lease_until", "receipt_until",
        ]
        let moves = columns.map { "\($0) = \($0) - interval '\(seconds) seconds'" }.joined(separator: ", ")
        try admin.run("UPDATE webview_session SET \(moves) WHERE webview_session_id = '\(crossing.webviewSession)'")
    }
}

/// Something a test did not expect on its way to what it tests.
struct Surprise: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
