import Commerce
import Cryptography
import FeatureTestKit
import HTTPCore
import Postgres
import Primitives
import ServerCore
import TestKit

@testable import Checkout
@testable import SessionBroker

/// The tokens of one session, and rows of it.
struct Crossing: Sendable {
    static let session = "3f1c2d9e-7b40-4f0a-9a55-6f2c8f5b0e11"

    let id: UUIDBytes
    let launch: LaunchTicket
    let tab: TabToken
    let proof: AppProof
    /// What C is for this tab.
    let ticket: ReturnTicket
    let order: Order

    init(_ number: UInt64 = 1) throws {
        id = UUIDBytes(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0000 | number)
        let random = SeededRandom(seed: 11)
        launch = LaunchTicket.mint(for: id, random: random)
        tab = TabToken.mint(for: id, random: random)
        proof = AppProof.mint(random: random)
        ticket = ReturnTicket.derive(from: tab, using: try HMACSHA256())
        order = try Catalogue.sample.order(["hd8": 1, "hd10": 1])
    }

    /// A row with the sums of a review where the state has them.
    func row(_ outcome: String, _ state: String, client: String = "iosApp") -> SessionRow {
        var row = SessionRow(outcome, state, order: order, launchHash: launch.hash)
        row.client = client
        if !["issued", "opened"].contains(state) {
            row.orderReference = Crossing.session
            row.postage = 500
        }
        row.tabHash = tab.hash
        return row
    }

    /// A look at the tab that finds a state.
    func look(_ state: String, _ outcome: String = "live", client: String = "iosApp") -> Parameters {
        row(outcome, state, client: client).tab(id)
    }

    /// Buyer and address.
    static let details = PrivateDetails(
        buyer: Buyer(name: "見本 花子", email: "buyer@example.test"),
        address: Address([
            .name: "見本 花子", .postalCode: "100-0001", .stateOrRegion: "東京都", .addressLine1: "見本町1-1",
            .countryCode: "JP",
        ]),
        payment: "Visa ****1111"
    )

    /// The same, sealed under the return ticket.
    func sealedDetails() throws -> [UInt8] {
        try PrivateSeal(mac: try HMACSHA256()).seal(Crossing.details, under: ticket, random: SeededRandom(seed: 5))
    }

    /// The mark of what the confirm page shows.
    func shown() throws -> Digest32 {
        let session = ReviewedSession(
            orderReference: Crossing.session,
            markedSession: id,
            postage: Yen(exactly: 500) ?? .zero,
            details: Crossing.details
        )
        return ticket.mark(of: session, using: try HMACSHA256())
    }

    /// B, and A as the tab remembers it.
    var tabCookies: [(String, String)] {
        [(Jar.tab, tab.text), (Jar.launch, launch.text)]
    }

    /// P.
    var appCookies: [(String, String)] { [(Jar.app, proof.text)] }
}

/// What a test asks with: fields of a browser.
enum Browser {
    static let english: (HTTPFieldName, String) = (.acceptLanguage, "en")
    /// What a page of the shop itself sends.
    static let ownOrigin: (HTTPFieldName, String) = (.origin, "https://shop.example")
}

/// The names of the cookies.
enum Jar {
    static let tab = "__Host-secureWebviewSessionId"
    static let launch = "__Host-old_secureWebviewSessionId"
    static let app = "__Host-swv-app"
    static let receipt = "__Host-swv-receipt"
}

/// Runs a body with the checkout alone, on a loop.
func withCheckout(
    _ settings: [String: String] = [:],
    isDemo: Bool = false,
    _ body: @escaping @Sendable (ScriptedProgram) async throws -> Void
) async throws {
    try await ScriptedProgram.run(FeatureSet([CheckoutFeature.self]), settings, isDemo: isDemo, body)
}
