import HTTPCore
import Telemetry
import Testing

@testable import Checkout
@testable import Program

@Suite struct `The confirmation of a subscription` {
    private final class Service: HTTPExchange {
        let status: Int?
        var asked: [String] = []
        var needs: [NeededContent] = []

        init(_ status: Int?) { self.status = status }

        func send(_ request: OutboundRequest) async throws(HTTPExchangeError) -> InboundResponse {
            asked.append(request.method + " " + request.url)
            needs.append(request.needs)
            guard let status else { throw HTTPExchangeError(.timedOut, detail: "nobody answers") }
            return InboundResponse(status: status)
        }
    }

    @Test(
        arguments: [
            (200, 200), (301, 200), (400, 200), (403, 200), (404, 200), (429, 503), (500, 503), (503, 503), (nil, 503),
        ] as [(Int?, Int)]
    )
    func `is asked for again where it did not come to a decision`(_ row: (status: Int?, answer: Int)) async {
        let service = Service(row.status)
        let confirmation = SubscriptionConfirmation(exchange: service, logger: .silent)
        #expect(await confirmation.confirm("https://sns.example/?Token=1") == row.answer)
        #expect(service.asked == ["GET https://sns.example/?Token=1"])
        // What the status says is not taken back by a long or broken page behind it.
        #expect(service.needs == [.none])
    }
}
