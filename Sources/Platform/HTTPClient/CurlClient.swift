import CCurl
package import EventIO
package import HTTPCore
import Primitives
package import Telemetry

/// Sends requests to other servers over TLS by libcurl, on the loop.
///
/// One lives on each loop and keeps its connections for reuse. A request with content is put on the wire at most once: when a
/// kept connection dies under it the outcome is reported as unknown, and the caller decides with its idempotency key.
package final class CurlClient: HTTPExchange {
    private let multi: CurlMulti?
    private let reactor: Reactor
    private let configuration: ClientConfiguration
    private let logger: Logger
    private let purpose: String
    private let metrics: ClientMetrics
    private var active: [UInt: CurlTransfer] = [:]
    private var spare: [EasyHandle] = []

    /// A client without connections.
    ///
    /// - Parameters:
    ///   - purpose: In metrics and log lines.
    ///   - metrics: Counts exchanges by outcome, and measures them.
    package init(
        _ reactor: Reactor,
        configuration: ClientConfiguration = ClientConfiguration(),
        purpose: String = "other",
        logger: Logger = .silent,
        metrics: MetricsRegistry = MetricsRegistry()
    ) {
        self.reactor = reactor
        self.configuration = configuration
        self.logger = logger
        self.purpose = purpose
        self.metrics = ClientMetrics(metrics, purpose: purpose)
        multi = CurlMulti(reactor, idleConnections: configuration.idleConnections)
        multi?.onEnd = { [weak self] handle, result in self?.end(handle, result) }
    }

    /// How many exchanges are under way.
    package var activeCount: Int { active.count }

    /// Sends a request and waits for the whole response, on the loop.
    ///
    /// A cancelled task ends its exchange at once: `connectFailed` when nothing was sent yet, else `connectionLost`.
    ///
    /// - Parameter request: What to send; its timeout covers everything.
    /// - Returns: The response, whatever its status. Redirects are not followed. One that counts by its status line is returned
    ///   when its content has ended, at the limit of a content, or after `dropLimit`; only in the first case its connection is kept.
    /// - Throws: `HTTPExchangeError`.
    package func send(_ request: OutboundRequest) async throws(HTTPExchangeError) -> InboundResponse {
        let start = reactor.now
        let outcome = await exchange(request)
        metrics.count(outcome, took: reactor.now - start)
        if case .failure(let error) = outcome {
            logger.debug(
                "outbound.failed",
                [LogField("purpose", purpose), LogField("code", error.description), LogField("detail", error.detail)]
            )
        }
        return try outcome.get()
    }

    /// The certificate that answers at an address; one that is not believed is not shown either.
    ///
    /// - Parameter url: Absolute, `https`; it is asked for by a HEAD on a connection of its own.
    /// - Returns: The peer's own certificate in PEM; `nil` where there was no answer within three seconds.
    package func certificate(at url: String) async -> [UInt8]? {
        var found: [UInt8]?
        _ = await exchange(OutboundRequest(method: "HEAD", url: url, timeout: .seconds(3))) { found = $0 }
        return found
    }

    private func exchange(
        _ request: OutboundRequest,
        _ takeCertificate: (([UInt8]?) -> Void)? = nil
    ) async -> CurlTransfer.Outcome {
        if let complaint = RequestRules.complaint(about: request, configuration.clearText) {
            return refused("request: \(complaint)")
        }
        guard active.count < configuration.concurrencyLimit else { return refused("too many exchanges at once") }
        guard let multi, let handle = spare.popLast() ?? EasyHandle() else { return refused("no memory") }
        let transfer = CurlTransfer(handle: handle, request: request, configuration)
        transfer.keepsCertificate = takeCertificate != nil
        if request.needs != .ofEveryStatus { limitDropping(transfer) }
        guard configuration.apply(to: handle, request), !transfer.keepsCertificate || handle.keepCertificate(),
            handle.connect(to: transfer, sendsBody: !request.body.isEmpty),
            multi.add(handle)
        else { return refused("libcurl does not take the request") }
        active[handle.id] = transfer
        let outcome = await reactor.suspend {
            transfer.wait($0)
        } onCancel: {
            self.cancel(transfer)
        }
        takeCertificate?(transfer.certificate)
        return outcome
    }

    private func refused(_ detail: String) -> CurlTransfer.Outcome {
        .failure(HTTPExchangeError(.connectFailed, detail: detail, isOurs: true))
    }

    /// What follows a status line that decided has a moment: a server that never ends it would keep the waiting task.
    private func limitDropping(_ transfer: CurlTransfer) {
        transfer.onDecided = { [weak self, unowned transfer] in
            guard let self else { return }
            transfer.dropTimer = reactor.schedule(after: configuration.dropLimit) { [weak self, weak transfer] in
                if let transfer { self?.cancel(transfer) }
            }
        }
    }

    private func end(_ handle: UInt, _ result: CURLcode) {
        guard let transfer = active[handle] else { return }
        let outcome = transfer.outcome(result == CURLE_OK ? nil : transfer.failure(result))
        if transfer.keepsCertificate, result == CURLE_OK { transfer.certificate = transfer.handle.certificate }
        close(transfer, isReusable: result == CURLE_OK)
        transfer.finish(outcome)
    }

    private func cancel(_ transfer: CurlTransfer) {
        guard active[transfer.handle.id] === transfer else { return }
        let code: HTTPExchangeError.Code = transfer.hasSent ? .connectionLost : .connectFailed
        close(transfer, isReusable: false)
        transfer.finish(transfer.outcome(HTTPExchangeError(code, detail: "cancelled", isOurs: true)))
    }

    /// A handle whose exchange failed is thrown away: the library's reset does not forget that it meant to send content again,
    /// and the next request would fail for that, to any host.
    private func close(_ transfer: CurlTransfer, isReusable: Bool) {
        multi?.remove(transfer.handle)
        active[transfer.handle.id] = nil
        if let timer = transfer.dropTimer { reactor.cancel(timer) }
        guard isReusable else { return }
        transfer.handle.reset()
        if spare.count < configuration.idleConnections { spare.append(transfer.handle) }
    }
}
