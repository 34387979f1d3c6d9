package import EventIO
package import HTTPCore
package import Postgres
package import Web

/// What a check over the network is made with.
package struct ProbeContext {
    /// The loop that it runs on; its clock is read at each question about time, however long those before it took.
    package let reactor: Reactor
    /// A way to the database; `nil` for one that runs with the program only, and for settings that nothing starts with.
    package let database: PostgresClient?
    /// What the settings say.
    package let settings: ExaminedSettings
    /// The fields of responses.
    package let headers: HeaderPolicy
    /// The web host; `nil` where it does not answer.
    package let web: BaseURL?
    /// The link host; `nil` where it does not answer.
    package let link: BaseURL?
    /// To both hosts.
    package let hosts: any HTTPExchange
    /// To other servers, by the path of a PEM file with the authorities that are believed; empty for the machine's.
    package let exchange: (_ authorityPath: String) -> any HTTPExchange

    /// A context.
    package init(
        _ reactor: Reactor,
        database: PostgresClient? = nil,
        _ settings: ExaminedSettings,
        headers: HeaderPolicy,
        web: BaseURL?,
        link: BaseURL?,
        hosts: any HTTPExchange,
        exchange: @escaping (_ authorityPath: String) -> any HTTPExchange
    ) {
        self.reactor = reactor
        self.database = database
        self.settings = settings
        self.headers = headers
        self.web = web
        self.link = link
        self.hosts = hosts
        self.exchange = exchange
    }
}

/// What one question of a check brought.
package enum ProbeAnswer {
    /// Whatever its status.
    case response(InboundResponse)
    /// No response, and why; for operators.
    case failure(String)
}

extension HTTPExchange {
    /// Asks a question of a check, without a cookie; three seconds at most.
    package func ask(_ method: String, _ url: String, _ fields: [(String, String)] = []) async -> ProbeAnswer {
        let agent = ("User-Agent", "Sallyport-doctor")
        let request = OutboundRequest(method: method, url: url, fields: [agent] + fields, timeout: .seconds(3))
        do throws(HTTPExchangeError) {
            return .response(try await send(request))
        } catch {
            return .failure(error.debugDescription)
        }
    }
}
