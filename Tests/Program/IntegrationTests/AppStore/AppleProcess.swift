import EventIO
import HTTPCore
import IntegrationKit
import StrictJSON

/// The simulated App Store as a process of its own, with a device that buys; it outlives the servers of the shop.
final class AppleProcess {
    /// Scheme, host and port.
    let url: String
    private let program: RunningProgram
    private let files: String
    private let http: TestClient

    /// Starts it.
    ///
    /// - Parameters:
    ///   - folder: Not there yet; gets its root certificate, the key of its API, and its log.
    ///   - notified: Gets the notifications of each environment.
    static func start(in folder: String, notifying notified: String, on reactor: Reactor) async throws -> AppleProcess {
        try Files.makeDirectory(folder, mode: 0o700)
        let address = "127.0.0.1:\(try freePort())"
        let program = try RunningProgram(
            ["simulators", "app-store", "--app-store-notify", notified],
            environment: ["SALLYPORT_DATA_DIR": folder, "SALLYPORT_APP_STORE_SIMULATOR_LISTEN": address],
            logPath: folder + "/log",
            on: reactor
        )
        do {
            _ = try await program.line(with: "\"simulator.ready\"")
        } catch {
            program.destroy()
            throw error
        }
        return AppleProcess(program, folder + "/development/app-store", "http://" + address)
    }

    private init(_ program: RunningProgram, _ files: String, _ url: String) {
        (self.program, self.files, self.url) = (program, files, url)
        http = TestClient(home: url)
    }

    func stop() { program.destroy() }

    /// What a shop needs to know of it: of the app that it sells in, its root, its key and its addresses.
    var settings: [String: String] {
        [
            "SALLYPORT_APP_STORE_BUNDLE_ID": "com.example.sallyport",
            "SALLYPORT_APP_STORE_APP_APPLE_ID": "6400000001", "SALLYPORT_APP_STORE_ENVIRONMENTS": "Sandbox,Production",
            "SALLYPORT_APP_STORE_ALLOW_OTHER_ROOT": "true",
            "SALLYPORT_APP_STORE_ROOT_CERTIFICATES": files + "/root.pem",
            "SALLYPORT_APP_STORE_PRODUCTS": files + "/products.json",
            "SALLYPORT_APP_STORE_ISSUER_ID": "5a11e904-7de7-410b-8e0f-57ee9a1d0f00",
            "SALLYPORT_APP_STORE_KEY_ID": "SP4TESTAPI",
            "SALLYPORT_APP_STORE_PRIVATE_KEY": files + "/AuthKey_SP4TESTAPI.p8",
            "SALLYPORT_APP_STORE_PRODUCTION_URL": url + "/production",
            "SALLYPORT_APP_STORE_SANDBOX_URL": url + "/sandbox", "SALLYPORT_APP_STORE_HISTORY_PAUSE": "60s",
        ]
    }

    /// Asks its control interface.
    @discardableResult
    func control(_ method: String, _ path: String, _ body: JSONValue? = nil) async throws -> JSONValue {
        let page = try await http.send(method, "/_sim/" + path, body: body?.bytes ?? [])
        guard page.status == 200 else { throw UnexpectedAnswer(method + " " + path, page.response) }
        return try JSONParser.parse(page.response.body)
    }

    /// Has a customer buy tickets.
    ///
    /// - Parameter token: Of the account, as the app passes it.
    func buy(
        _ tickets: Ticket = .one,
        quantity: Int = 1,
        token: String? = nil,
        in environment: String = "Sandbox"
    ) async throws -> Bought {
        let answer = try await control(
            "POST",
            "purchases",
            [
                "product": .string(tickets.rawValue), "quantity": JSONValue(quantity),
                "environment": .string(environment), "appAccountToken": .string(token ?? ""),
            ]
        )
        guard let id = answer["transactionId"]?.text, let text = answer["signedTransaction"]?.text else {
            throw ProgramFailure("no purchase in \(answer)")
        }
        return Bought(id: id, text: text, units: tickets.units * quantity)
    }

    /// Has something happen to a purchase.
    func change(_ bought: Bought, _ step: String, _ body: JSONValue? = nil) async throws {
        try await control("POST", "purchases/\(bought.id)/\(step)", body)
    }
}

/// What is sold.
enum Ticket: String, CaseIterable, Sendable {
    case one = "com.example.sallyport.ticket.1"
    case ten = "com.example.sallyport.ticket.10"

    var units: Int { self == .one ? 1 : 10 }
}

/// A purchase on a device.
struct Bought: Sendable {
    let id: String
    /// As the app hands it in.
    let text: String
    let units: Int
}
