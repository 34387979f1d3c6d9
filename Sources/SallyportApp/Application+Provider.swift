import EventIO
import HTTPClient
import HTTPCore

extension Application {
    /// Waits until the provider's stand-in answers; it starts beside this program.
    ///
    /// - Parameter configuration: Names its address and authority.
    /// - Throws: `ConfigurationError` when it does not answer within twenty seconds.
    func waitForProvider(_ configuration: Configuration) async throws {
        let url = configuration.provider.apiURL + "/_sim/health"
        var outbound = ClientConfiguration()
        if !configuration.provider.authorityPath.isEmpty {
            outbound.trust = .file(path: configuration.provider.authorityPath)
        }
        let trust = outbound
        let answers = try await onFirstLoop { reactor in
            let client = CurlClient(reactor, configuration: trust)
            for _ in 0..<200 {
                let request = OutboundRequest(method: "GET", url: url, timeout: .seconds(1))
                // Any status will do: the control interface refuses other machines, as in a container beside this one.
                if (try? await client.send(request)) != nil { return true }
                await reactor.sleep(for: .milliseconds(100))
            }
            return false
        }
        guard answers else { throw ConfigurationError(problems: ["provider.api_url: nothing answers at \(url)"]) }
    }
}
