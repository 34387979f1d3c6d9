import HTTPCore
import ServerCore
import Web

/// Refusals as phones get them: a status without content.
final class PhoneFailures: FailureFormat {
    private let block: FieldBlock
    private let log: FailureLog

    init(_ headers: HeaderPolicy, _ log: FailureLog) {
        block = headers.plain
        self.log = log
    }

    func response(to failure: Failure, _ request: HTTPRequest) -> HTTPResponse {
        log.note(failure, of: request)
        var response = HTTPResponse(failure.code.status, block: block)
        if failure.code == .passUnauthorized { response.add(.wwwAuthenticate, constant: "ApplePass") }
        if let seconds = failure.retryAfter { _ = response.add(.retryAfter, String(seconds)) }
        return response
    }
}
