import AmazonPaySimulator
import Primitives
import StrictJSON
import Testing

@Suite("The way back to the merchant")
struct ReturnTests {
    @Test(arguments: [
        ("https://shop.example.test/r", "https://shop.example.test/r?amazonCheckoutSessionId=ID"),
        ("https://shop.example.test/r?token=1", "https://shop.example.test/r?token=1&amazonCheckoutSessionId=ID"),
        ("https://shop.example.test/r?", "https://shop.example.test/r?amazonCheckoutSessionId=ID"),
        ("https://shop.example.test/r?a=1&", "https://shop.example.test/r?a=1&amazonCheckoutSessionId=ID"),
        ("https://shop.example.test/r#top", "https://shop.example.test/r?amazonCheckoutSessionId=ID#top"),
        ("https://shop.example.test/r?a=1#t?b", "https://shop.example.test/r?a=1&amazonCheckoutSessionId=ID#t?b"),
        ("https://shop.example.test", "https://shop.example.test?amazonCheckoutSessionId=ID"),
        ("http://localhost:8443/r", "http://localhost:8443/r?amazonCheckoutSessionId=ID"),
    ])
    func `carries the id behind what the URL has already`(review: String, expected: String) {
        var bench = Bench()
        let payload: JSONValue = [
            "webCheckoutDetails": ["checkoutReviewReturnUrl": .string(review)], "storeId": .string(Bench.storeID),
        ]
        _ = bench.post("/checkout/start", Bench.startForm(payload))
        _ = bench.post("/ap/signin", [("buyer", "tokyo@example.test")])
        _ = bench.post("/ap/consent", [("action", "agree")])
        let answer = bench.post("/ap/select", [("addressId", "tokyo"), ("cardId", "card-1111")])
        let id = Bench.sessionID(in: answer.location)
        #expect(answer.location == expected.replacing("ID", with: id))
    }

    @Test(arguments: ["http", "meta", "script", "tap"])
    func `is an HTTP redirect, a refresh, a script or a tap`(redirect: String) {
        var bench = Bench()
        bench.control("POST", "options", ["redirect": .string(redirect)])
        let id = bench.checkOutByForms()
        bench.place(id)
        let answer = bench.process(id)
        let target = Bench.result + "?amazonCheckoutSessionId=" + id
        if redirect == "http" {
            #expect(answer.location == target)
        } else {
            #expect(answer.status == 200)
            #expect(answer.text.contains("<a id=\"continue\" class=\"main\" href=\"\(target)\">"))
            #expect(answer.text.contains("http-equiv=\"refresh\"") == (redirect == "meta"))
            #expect(answer.text.contains("/ap/handoff.js") == (redirect == "script"))
        }
        #expect(bench.complete(id).status == 200)
    }

    @Test func `may lose the id at the result page`() {
        var bench = Bench()
        bench.control("POST", "options", ["omitResultId": true])
        let id = bench.checkOut()
        bench.place(id)
        #expect(bench.process(id).location == Bench.result)
    }

    @Test func `may carry the id to the cancel page`() {
        var bench = Bench()
        bench.control("POST", "options", ["appendCancelId": true])
        _ = bench.post("/checkout/start", Bench.startForm())
        _ = bench.post("/ap/signin", [("buyer", "tokyo@example.test")])
        _ = bench.post("/ap/consent", [("action", "agree")])
        _ = bench.post("/ap/select", [("addressId", "tokyo"), ("cardId", "card-1111")])
        // The buyer has gone back in the browser.
        let answer = bench.post("/ap/select", [("action", "cancel")])
        #expect(answer.location?.hasPrefix(Bench.cancel + "?amazonCheckoutSessionId=") == true)
    }

    @Test func `without a cancel page is the review page`() {
        var bench = Bench()
        let payload: JSONValue = [
            "webCheckoutDetails": ["checkoutReviewReturnUrl": .string(Bench.review)], "storeId": .string(Bench.storeID),
        ]
        _ = bench.post("/checkout/start", Bench.startForm(payload))
        #expect(bench.post("/ap/signin", [("action", "cancel")]).location == Bench.review)
    }

    @Test func `a buyer who chooses again keeps the session`() {
        var bench = Bench()
        let id = bench.checkOut()
        let again = bench.post("/ap/select", [("addressId", "okinawa"), ("cardId", "card-1111")])
        #expect(Bench.sessionID(in: again.location) == id)
        #expect(bench.session(id)[path: "shippingAddress.stateOrRegion"]?.text == "沖縄県")
    }
}

@Suite("The autopilot")
struct AutopilotTests {
    @Test func `answers every page of one visit`() {
        var bench = Bench()
        let next: JSONValue = ["email": "okinawa@example.test", "addressId": "okinawa", "cardId": "card-4444"]
        #expect(bench.control("POST", "next-buyer", next).json["waiting"]?.integer == 1)
        let id = Bench.sessionID(in: bench.follow(bench.post("/checkout/start", Bench.startForm())).location)
        let session = bench.session(id)
        #expect(session[path: "buyer.email"]?.text == "okinawa@example.test")
        #expect(session[path: "shippingAddress.stateOrRegion"]?.text == "沖縄県")
        bench.place(id)
        #expect(bench.follow(bench.process(id)).location == Bench.result + "?amazonCheckoutSessionId=" + id)
        // The next visit has a person again.
        #expect(bench.follow(bench.post("/checkout/start", Bench.startForm())).text.contains("page-signin"))
    }

    @Test func `passes the one-time code and the bank`() {
        var bench = Bench()
        bench.control("POST", "options", ["ask3ds": true])
        bench.control("POST", "next-buyer", ["email": "mfa@example.test"])
        let id = Bench.sessionID(in: bench.follow(bench.post("/checkout/start", Bench.startForm())).location)
        bench.place(id)
        #expect(bench.follow(bench.process(id)).location?.hasPrefix(Bench.result) == true)
    }

    @Test(arguments: [("consent", "page-mfa"), ("mfa", "page-consent")])
    func `stops at a question that it does not answer`(answered: String, page: String) {
        var bench = Bench()
        bench.control("POST", "next-buyer", ["email": "mfa@example.test", "answers": [.string(answered)]])
        #expect(bench.follow(bench.post("/checkout/start", Bench.startForm())).text.contains(page))
    }

    @Test func `serves as many visits as it says`() {
        var bench = Bench()
        bench.control("POST", "next-buyer", ["count": 2])
        let ends = (0..<3).map { _ in bench.follow(bench.post("/checkout/start", Bench.startForm())).location != nil }
        #expect(ends == [true, true, false])
    }

    @Test func `changes the address`() {
        var bench = Bench()
        bench.control("POST", "next-buyer", ["email": "tokyo@example.test", "addressId": "tokyo"])
        let id = Bench.sessionID(in: bench.follow(bench.post("/checkout/start", Bench.startForm())).location)
        bench.control("POST", "next-buyer", ["addressId": "hokkaido"])
        let change = "/ap/select?amazonCheckoutSessionId=\(id)&changeAction=changeAddress"
        #expect(bench.follow(bench.get(change)).location == Bench.review + "?amazonCheckoutSessionId=" + id)
        #expect(bench.session(id)[path: "shippingAddress.stateOrRegion"]?.text == "北海道")
    }

    @Test func `changes the address in a browser without cookies`() {
        var bench = Bench()
        let id = bench.checkOut()
        bench.browser = Browser()
        bench.control("POST", "next-buyer", ["addressId": "okinawa"])
        let change = "/ap/select?amazonCheckoutSessionId=\(id)&changeAction=changeAddress"
        #expect(bench.follow(bench.get(change)).location == Bench.review + "?amazonCheckoutSessionId=" + id)
        #expect(bench.session(id)[path: "shippingAddress.stateOrRegion"]?.text == "沖縄県")
    }

    @Test func `that has nothing to choose stops at the page`() {
        var bench = Bench()
        var payload = Bench.payload.members
        payload.append(
            JSONMember(
                "deliverySpecifications",
                ["addressRestrictions": ["type": "Allowed", "restrictions": ["FR": .object([])]]]
            )
        )
        bench.control("POST", "next-buyer", .object([]))
        let page = bench.follow(bench.post("/checkout/start", Bench.startForm(.object(payload))))
        #expect(page.status == 422)
        #expect(page.text.contains("page-select"))
    }
}

extension Bench {
    /// Like `checkOut`, where the way back is a page instead of a redirect.
    mutating func checkOutByForms() -> String {
        _ = post("/checkout/start", Bench.startForm())
        _ = post("/ap/signin", [("buyer", "tokyo@example.test")])
        _ = post("/ap/consent", [("action", "agree")])
        let answer = post("/ap/select", [("addressId", "tokyo"), ("cardId", "card-1111")])
        let link = answer.text.firstRange(of: "amazonCheckoutSessionId=")
        let linked = link.map { String(answer.text[$0.upperBound...].prefix(36)) }
        return answer.location.map(Bench.sessionID(in:)) ?? linked ?? ""
    }
}
