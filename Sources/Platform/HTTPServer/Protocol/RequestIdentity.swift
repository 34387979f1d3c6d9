import HTTPCore
import Telemetry

// What every version of HTTP does with a request.

extension LoopServer {
    /// Gives a request its number, and its client where a proxy speaks for one.
    func identify(_ request: HTTPRequest, from peer: Connection.Peer) {
        request.serialNumber = nextSerialNumber()
        guard peer.isProxy else { return }
        let trusted = shared.configuration.trustedProxies
        request.peer = ClientAddress.find(in: request, behind: peer.address, trusted: trusted)
    }

    /// The answer for a handler that has failed.
    func answer(toFailure error: any Error, of request: HTTPRequest) -> HTTPResponse {
        let fields = [LogField("request", request.requestID), LogField("error", "\(error)")]
        shared.logger.error("http.handler_failed", fields)
        return HTTPResponse(.internalError, block: errorFields)
    }
}
