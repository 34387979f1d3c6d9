import CheckoutCodes
import HTTPCore
import Web

/// `POST /csp_report`: browsers report what a page's content security policy kept out, or would have with `csp.p2` at `report`.
///
/// Anybody can send anything here, so it is counted, and the two words that matter are logged when they have the form of such
/// words. Addresses of pages, which a report has too, are not looked at.
enum PolicyReportHandler {
    @Sendable static func post(_ exchange: Exchange) throws(Failure) -> HTTPResponse {
        let request = exchange.request
        guard request.contentTypeIs(.reports) || request.contentTypeIs(.policyReport) else {
            throw Failure(.invalidRequest, "the body is no report")
        }
        exchange.services.note(PolicyReport(request.body))
        return HTTPResponse(.noContent, block: exchange.deployment.headers.redirect)
    }
}
