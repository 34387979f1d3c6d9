import Checkout
import EventIO
import HTTPClient
import HTTPCore
import Operations
import Settings

extension Application {
    /// Waits until the provider's stand-in answers; it starts beside this program.
    ///
    /// - Parameters:
    ///   - companion: Its process, where that is a child of this one.
    /// - Throws: `SupervisedProcessEnded` as soon as that has ended; `ConfigurationError` when nothing answers within twenty
    ///   seconds.
    func waitForProvider(_ configuration: Configuration, beside companion: SupervisedProcess?) async throws {
        let provider = try configuration.checkout().provider
        let url = provider.apiURL + "/_sim/health"
        var outbound = ClientConfiguration()
        if !provider.authorityPath.isEmpty {
            outbound.trust = .file(path: provider.authorityPath)
        }
        let trust = outbound
        let answers = try await onFirstLoop { reactor in
            let client = CurlClient(reactor, configuration: trust)
            for _ in 0..<200 {
                if let companion, let exit = try companion.process.wait(atMost: .zero) {
                    throw SupervisedProcessEnded(name: companion.name, exit: exit)
                }
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
