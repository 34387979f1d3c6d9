import AmazonPaySimulator
import SimulatorCore
import StrictJSON
import Testing

@Suite("A second host of the service")
struct SecondHostTests {
    private static let first = "https://sim.example.test:9443"
    private static let second = "https://signin.localhost:9443"

    /// One browser, which keeps the cookies of each host apart, and the hosts that it was at.
    private struct Buyer {
        var bench = Bench { configuration in
            configuration.baseURL = SecondHostTests.first
            configuration.switches.usesSecondHost = true
        }
        var browsers: [String: Browser] = [:]
        var hops: [String] = []

        /// Sends a request and follows redirects until a page is shown, or until one leaves the service.
        mutating func go(_ method: String, _ url: String, _ form: [(String, String)] = []) -> Answer {
            var (method, url, form) = (method, url, form)
            while true {
                guard let (origin, target) = SecondHostTests.split(url) else { return Answer(nil) }
                let browser = browsers[origin] ?? Browser()
                let host = (name: "host", value: String(origin.dropFirst("https://".count)))
                let type = (name: "content-type", value: "application/x-www-form-urlencoded")
                let request = SimulatorRequest(
                    method,
                    target,
                    fields: browser.fields + [host] + (method == "POST" ? [type] : []),
                    body: Bench.encoded(form),
                    isSecure: true
                )
                let (answer, _) = bench.send(request)
                hops.append("\(answer.status) \(origin)\(target.prefix { $0 != "?" })")
                browsers[origin, default: browser].take(answer)
                guard let location = answer.location, hops.count < 40 else { return answer }
                url = location.hasPrefix("/") ? origin + location : location
                (method, form) = ("GET", [])
                guard SecondHostTests.split(url) != nil else { return answer }
            }
        }
    }

    /// The service's host and the target of an address of it; `nil` for another's.
    private static func split(_ url: String) -> (origin: String, target: String)? {
        for origin in [first, second] where url.hasPrefix(origin + "/") {
            return (origin, String(url.dropFirst(origin.count)))
        }
        return nil
    }

    @Test func `has the pages, and sends the browser back over the first`() {
        var buyer = Buyer()
        let signIn = buyer.go("POST", Self.first + "/checkout/start", Bench.startForm())
        #expect(signIn.text.contains("page-signin"))
        #expect(
            buyer.hops == [
                "302 \(Self.first)/checkout/start", "303 \(Self.second)/ap/enter", "200 \(Self.second)/ap/signin",
            ]
        )
        _ = buyer.go("POST", Self.second + "/ap/signin", [("buyer", "tokyo@example.test")])
        _ = buyer.go("POST", Self.second + "/ap/consent", [("action", "agree")])
        buyer.hops = []
        let choice = [("addressId", "tokyo"), ("cardId", "card-1111"), ("action", "continue")]
        let chosen = buyer.go("POST", Self.second + "/ap/select", choice)
        let id = Bench.sessionID(in: chosen.location)
        #expect(chosen.location == Bench.review + "?amazonCheckoutSessionId=" + id)
        #expect(buyer.hops == ["302 \(Self.second)/ap/select", "303 \(Self.first)/ap/leave"])
    }

    @Test func `takes the browser through processing without a page`() {
        var buyer = Buyer()
        buyer.bench.control("POST", "next-buyer", ["email": "tokyo@example.test"])
        let id = Bench.sessionID(in: buyer.go("POST", Self.first + "/checkout/start", Bench.startForm()).location)
        buyer.bench.place(id)
        buyer.hops = []
        let end = buyer.go("GET", Self.first + "/checkout/processing?amazonCheckoutSessionId=" + id)
        #expect(end.location == Bench.result + "?amazonCheckoutSessionId=" + id)
        #expect(
            buyer.hops == [
                "302 \(Self.first)/checkout/processing", "302 \(Self.second)/checkout/processing",
                "303 \(Self.first)/ap/leave",
            ]
        )
        #expect(buyer.bench.complete(id).status == 200)
    }

    @Test(arguments: ["/ap/enter", "/ap/enter?visit=none", "/ap/leave", "/ap/leave?to=https://shop.example.test/"])
    func `takes no address from outside`(target: String) {
        var buyer = Buyer()
        let answer = buyer.go("GET", Self.second + target)
        #expect(answer.location == nil)
        #expect([400, 404].contains(answer.status))
    }
}
