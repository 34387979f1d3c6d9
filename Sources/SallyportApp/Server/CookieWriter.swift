import HTTPCore
import SessionBroker

/// Sets the four cookies with exactly the attributes of session-security section 3.
struct CookieWriter: Sendable {
    private let names: CookieTable
    private let times: BrokerPolicy.Times

    /// A writer for a deployment.
    ///
    /// - Parameters:
    ///   - names: The names of the profile.
    ///   - times: How long each cookie lives.
    init(names: CookieTable, times: BrokerPolicy.Times) {
        self.names = names
        self.times = times
    }

    /// Sets P: Strict, because no other site ever has to send the app's web view here.
    func set(app proof: AppProof, on response: inout HTTPResponse) {
        add(SetCookie(names.app, proof.text, sameSite: .strict, maxAge: seconds(times.appProof)), &response)
    }

    /// Sets B and A: Lax, because the provider sends the buyer back by a top-level GET; Strict would lose the session there.
    func set(tab token: TabToken, launch ticket: LaunchTicket, on response: inout HTTPResponse) {
        let life = seconds(times.absolute)
        add(SetCookie(names.tab, token.text, sameSite: .lax, maxAge: life), &response)
        add(SetCookie(names.launch, ticket.text, sameSite: .lax, maxAge: life), &response)
    }

    /// Sets C, for the thanks page.
    func set(receipt ticket: ReturnTicket, on response: inout HTTPResponse) {
        add(receipt(ticket), &response)
    }

    /// Clears C.
    func clearReceipt(_ ticket: ReturnTicket, on response: inout HTTPResponse) {
        add(receipt(ticket)?.cleared, &response)
    }

    private func receipt(_ ticket: ReturnTicket) -> SetCookie? {
        SetCookie(names.receipt, ticket.text, sameSite: .strict, maxAge: seconds(times.receipt))
    }

    private func seconds(_ duration: Duration) -> Int {
        Int(duration.components.seconds)
    }

    /// Tokens have an alphabet that every cookie allows, so there always is a cookie to add.
    private func add(_ cookie: SetCookie?, _ response: inout HTTPResponse) {
        if let cookie { response.set(cookie) }
    }
}
