import HTTPCore
import SessionBroker

/// Sets the four cookies with exactly the attributes of docs/contract.md.
///
/// An object, because as a value its patterns would be copied at each use, with a reference counted for each of their parts.
final class CookieWriter: Sendable {
    private let app: FieldPattern
    private let tab: FieldPattern
    private let launch: FieldPattern
    private let receipt: FieldPattern
    private let noTab: HTTPField
    private let noLaunch: HTTPField
    private let noReceipt: HTTPField

    /// A writer for a deployment.
    init(names: CookieTable, times: BrokerPolicy.Times) {
        // Strict, because no other site ever has to send the app's web view here.
        let app = CookieWriter.cookie(names.app, .strict, times.appProof)
        // Lax, because the provider sends the buyer back by a top-level GET; Strict would lose the session there.
        let tab = CookieWriter.cookie(names.tab, .lax, times.absolute)
        let launch = CookieWriter.cookie(names.launch, .lax, times.absolute)
        let receipt = CookieWriter.cookie(names.receipt, .strict, times.receipt)
        self.app = CookieWriter.pattern(app)
        self.tab = CookieWriter.pattern(tab)
        self.launch = CookieWriter.pattern(launch)
        self.receipt = CookieWriter.pattern(receipt)
        noTab = tab.cleared.field
        noLaunch = launch.cleared.field
        noReceipt = receipt.cleared.field
    }

    /// Sets P.
    func set(app proof: AppProof, on response: inout HTTPResponse) {
        add(app.field(AppProof.characterCount) { room in proof.append(to: &room) }, &response)
    }

    /// Sets B and A.
    func set(tab token: TabToken, launch ticket: LaunchTicket, on response: inout HTTPResponse) {
        add(tab.field(TabToken.characterCount) { room in token.append(to: &room) }, &response)
        add(launch.field(LaunchTicket.characterCount) { room in ticket.append(to: &room) }, &response)
    }

    /// Sets C, for the thanks page.
    func set(receipt ticket: ReturnTicket, on response: inout HTTPResponse) {
        add(receipt.field(ReturnTicket.characterCount) { room in ticket.append(to: &room) }, &response)
    }

    /// Clears B and A.
    func clearTab(on response: inout HTTPResponse) {
        response.add(noTab)
        response.add(noLaunch)
    }

    /// Clears C.
    func clearReceipt(on response: inout HTTPResponse) {
        response.add(noReceipt)
    }

    /// Tokens have an alphabet that every pattern allows, so there always is a field to add.
    private func add(_ field: HTTPField?, _ response: inout HTTPResponse) {
        if let field { response.add(field) }
    }

    private static func cookie(_ name: String, _ site: SetCookie.SameSite, _ life: Duration) -> SetCookie {
        guard let cookie = SetCookie(name, "", sameSite: site, maxAge: Int(life.components.seconds)) else {
            preconditionFailure("the names of the cookie table are names of cookies")
        }
        return cookie
    }

    private static func pattern(_ cookie: SetCookie) -> FieldPattern {
        guard let pattern = cookie.pattern else { preconditionFailure("a cookie is a field") }
        return pattern
    }
}
