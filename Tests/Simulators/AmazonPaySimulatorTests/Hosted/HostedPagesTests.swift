import AmazonPaySimulator
import Primitives
import SimulatorCore
import StrictJSON
import Testing

@Suite("The hosted pages")
struct HostedPagesTests {
    @Test func `lead from the button to the review page and on to the result page`() {
        var bench = Bench()
        let started = bench.post("/checkout/start", Bench.startForm())
        #expect(started.status == 303)
        #expect(started.location == "/ap/signin")
        #expect(started.field("set-cookie")?.contains("; HttpOnly; SameSite=Lax") == true)
        #expect(bench.get("/ap/signin").text.contains("<main id=\"page-signin\">"))
        let signedIn = bench.post("/ap/signin", [("email", "tokyo@example.test"), ("password", "x")])
        #expect(signedIn.location == "/ap/consent")
        #expect(bench.get("/ap/consent").text.contains("<li id=\"scope-shippingAddress\">"))
        #expect(bench.post("/ap/consent", [("action", "agree")]).location == "/ap/select")
        let page = bench.get("/ap/select").text
        for id in ["address-tokyo", "address-okinawa", "card-1111", "card-4354", "continue", "cancel"] {
            #expect(page.contains("id=\"\(id)\""))
        }
        let back = bench.post(
            "/ap/select",
            [("addressId", "okinawa"), ("cardId", "card-0005"), ("action", "continue")]
        )
        let id = Bench.sessionID(in: back.location)
        #expect(back.status == 303)
        #expect(back.location == Bench.review + "?amazonCheckoutSessionId=" + id)
        bench.place(id)
        #expect(bench.process(id).location == Bench.result + "?amazonCheckoutSessionId=" + id)
        #expect(bench.complete(id).status == 200)
    }

    @Test func `ask for consent once per buyer and merchant`() {
        var bench = Bench()
        _ = bench.checkOut()
        _ = bench.post("/checkout/start", Bench.startForm())
        #expect(bench.post("/ap/signin", [("buyer", "tokyo@example.test")]).location == "/ap/select")
        _ = bench.post("/checkout/start", Bench.startForm())
        #expect(bench.post("/ap/signin", [("buyer", "okinawa@example.test")]).location == "/ap/consent")
    }

    @Test func `refuse a wrong password, an unknown account and a wrong code`() {
        var bench = Bench()
        _ = bench.post("/checkout/start", Bench.startForm())
        let wrong = bench.post("/ap/signin", [("email", "mfa@example.test"), ("password", "wrong")])
        #expect(wrong.status == 422)
        #expect(wrong.text.contains("id=\"complaint\""))
        #expect(bench.post("/ap/signin", [("email", "nobody@example.test"), ("password", "x")]).status == 422)
        let right = bench.post("/ap/signin", [("email", "mfa@example.test"), ("password", "x")])
        #expect(right.location == "/ap/mfa")
        #expect(bench.get("/ap/consent").location == "/ap/mfa")
        for code in ["000000", "12345", "1234567", "abcdef", ""] {
            #expect(bench.post("/ap/mfa", [("code", code), ("action", "confirm")]).status == 422)
        }
        #expect(bench.post("/ap/mfa", [("action", "resend")]).text.contains("id=\"note\""))
        #expect(bench.get("/ap/mfa").status == 200)
        #expect(bench.post("/ap/mfa", [("code", "123456"), ("action", "confirm")]).location == "/ap/consent")
    }

    @Test func `cannot be skipped`() {
        var bench = Bench()
        _ = bench.post("/checkout/start", Bench.startForm())
        for page in ["/ap/mfa", "/ap/consent", "/ap/select"] { #expect(bench.get(page).location == "/ap/signin") }
        #expect(bench.post("/ap/select", [("addressId", "tokyo"), ("cardId", "card-1111")]).location == "/ap/signin")
        _ = bench.post("/ap/signin", [("buyer", "tokyo@example.test")])
        #expect(bench.get("/ap/select").location == "/ap/consent")
        #expect(bench.post("/ap/select", [("addressId", "tokyo"), ("cardId", "card-1111")]).location == "/ap/consent")
    }

    @Test(arguments: [
        [("addressId", "tokyo")], [("cardId", "card-1111")], [("addressId", "elsewhere"), ("cardId", "card-1111")],
        [("addressId", "tokyo"), ("cardId", "card-9999")], [],
    ])
    func `want an address and a card that they offer`(form: [(String, String)]) {
        var bench = Bench()
        _ = bench.post("/checkout/start", Bench.startForm())
        _ = bench.post("/ap/signin", [("buyer", "tokyo@example.test")])
        _ = bench.post("/ap/consent", [("action", "agree")])
        #expect(bench.post("/ap/select", form + [("action", "continue")]).status == 422)
    }

    @Test func `show restricted addresses disabled and refuse them`() {
        var bench = Bench()
        var payload = Bench.payload.members
        payload.append(
            JSONMember(
                "deliverySpecifications",
                [
                    "specialRestrictions": ["RestrictPOBoxes"],
                    "addressRestrictions": [
                        "type": "NotAllowed",
                        "restrictions": ["JP": ["statesOrRegions": ["沖縄県"], "zipCodes": ["06*"]]],
                    ],
                ]
            )
        )
        _ = bench.post("/checkout/start", Bench.startForm(.object(payload)))
        _ = bench.post("/ap/signin", [("buyer", "tokyo@example.test")])
        _ = bench.post("/ap/consent", [("action", "agree")])
        let page = bench.get("/ap/select").text
        #expect(page.contains("value=\"okinawa\" disabled"))
        #expect(page.contains("value=\"hokkaido\" disabled"))
        #expect(page.contains("value=\"tokyo\" checked"))
        for address in ["okinawa", "hokkaido"] {
            #expect(bench.post("/ap/select", [("addressId", address), ("cardId", "card-1111")]).status == 422)
        }
        _ = bench.post("/checkout/start", Bench.startForm(.object(payload)))
        _ = bench.post("/ap/signin", [("buyer", "pobox@example.test")])
        _ = bench.post("/ap/consent", [("action", "agree")])
        #expect(bench.get("/ap/select").text.contains("value=\"pobox\" disabled"))
    }

    @Test(arguments: ["/ap/signin", "/ap/consent", "/ap/select"])
    func `let the buyer go back to the merchant's cancel page`(page: String) {
        var bench = Bench()
        _ = bench.post("/checkout/start", Bench.startForm())
        if page != "/ap/signin" { _ = bench.post("/ap/signin", [("buyer", "tokyo@example.test")]) }
        if page == "/ap/select" { _ = bench.post("/ap/consent", [("action", "agree")]) }
        #expect(bench.post(page, [("action", "cancel")]).location == Bench.cancel)
    }

    @Test func `change the address of an open session and come back with the same id`() {
        var bench = Bench()
        let id = bench.checkOut()
        let entered = bench.get("/ap/select?amazonCheckoutSessionId=\(id)&changeAction=changeAddress")
        #expect(entered.location == "/ap/select")
        let page = bench.get("/ap/select").text
        #expect(page.contains("addressId"))
        #expect(!page.contains("cardId"))
        let back = bench.post("/ap/select", [("addressId", "hokkaido"), ("action", "continue")])
        #expect(back.location == Bench.review + "?amazonCheckoutSessionId=" + id)
        #expect(bench.session(id)[path: "shippingAddress.stateOrRegion"]?.text == "北海道")
        _ = bench.get("/ap/select?amazonCheckoutSessionId=\(id)&changeAction=changePayment")
        #expect(!bench.get("/ap/select").text.contains("addressId"))
        _ = bench.post("/ap/select", [("cardId", "card-4444"), ("action", "continue")])
        #expect(
            bench.session(id)["paymentPreferences"]?.elements.first?["paymentDescriptor"]?.text?.contains("4444")
                == true
        )
        #expect(bench.session(id)[path: "shippingAddress.stateOrRegion"]?.text == "北海道")
        _ = bench.get("/ap/select?amazonCheckoutSessionId=\(id)&changeAction=changePayment")
        #expect(
            bench.post("/ap/select", [("action", "cancel")]).location == Bench.review + "?amazonCheckoutSessionId=" + id
        )
        #expect(bench.session(id).state == "Open")
    }

    @Test func `change nothing once the money is held or the session is over`() {
        var bench = Bench()
        let held = bench.held()
        let change = "&changeAction=changeAddress"
        #expect(bench.get("/ap/select?amazonCheckoutSessionId=\(held)" + change).status == 409)
        let declined = bench.held(card: "card-3434")
        #expect(bench.get("/ap/select?amazonCheckoutSessionId=\(declined)" + change).status == 409)
        #expect(bench.get("/ap/select?amazonCheckoutSessionId=unknown" + change).status == 404)
        #expect(bench.get("/ap/select?amazonCheckoutSessionId=\(bench.checkOut())&changeAction=x").status == 400)
    }

    @Test func `want the session's own buyer in another browser`() {
        var bench = Bench()
        let id = bench.checkOut()
        bench.place(id)
        bench.browser = Browser()
        #expect(bench.process(id).location == "/ap/signin")
        let page = bench.get("/ap/signin").text
        #expect(page.contains("tokyo@example.test"))
        #expect(!page.contains("okinawa@example.test"))
        #expect(bench.post("/ap/signin", [("buyer", "okinawa@example.test")]).status == 403)
        let answer = bench.post("/ap/signin", [("buyer", "tokyo@example.test")])
        #expect(bench.follow(answer).location?.hasPrefix(Bench.result) == true)
    }

    @Test func `notice a form of an older visit`() {
        var bench = Bench()
        _ = bench.post("/checkout/start", Bench.startForm())
        let page = bench.get("/ap/signin").text
        let mark = page.firstRange(of: "name=\"visit\" value=\"")
        let tag = mark.map { String(page[$0.upperBound...].prefix(8)) } ?? ""
        _ = bench.post("/checkout/start", Bench.startForm())
        #expect(bench.post("/ap/signin", [("visit", tag), ("buyer", "tokyo@example.test")]).status == 409)
    }

    @Test func `need a visit`() {
        var bench = Bench()
        for page in ["/ap/signin", "/ap/mfa", "/ap/consent", "/ap/select", "/ap/3ds"] {
            let answer = bench.get(page)
            #expect(answer.status == 400)
            #expect(answer.text.contains("VisitNotFound"))
        }
    }

    @Test func `the processing page may be visited again`() {
        var bench = Bench()
        let id = bench.held()
        let result = Bench.result + "?amazonCheckoutSessionId=" + id
        #expect(bench.process(id).location == result)
        bench.browser = Browser()
        #expect(bench.process(id).location == result)
        _ = bench.complete(id)
        #expect(bench.process(id).location == result)
    }

    @Test(arguments: [("card-3434", "Declined"), ("card-3064", "BuyerCanceled")])
    func `a refused payment goes to the result page once, then to an error page`(card: String, reason: String) {
        var bench = Bench()
        let id = bench.checkOut(card: card)
        bench.place(id)
        #expect(bench.process(id).location == Bench.result + "?amazonCheckoutSessionId=" + id)
        let again = bench.process(id)
        #expect(again.status == 409)
        #expect(again.text.contains("CheckoutSessionCanceled"))
        #expect(again.text.contains(reason))
    }

    @Test func `the processing page tells what is wrong with a session`() {
        var bench = Bench()
        let unplaced = bench.checkOut()
        let answer = bench.process(unplaced)
        #expect(answer.status == 409)
        #expect(answer.text.contains("CheckoutResultReturnUrlNotSet"))
        let expired = bench.checkOut()
        bench.place(expired)
        bench.advance("PT25H")
        #expect(bench.process(expired).status == 410)
        #expect(bench.process("nonsense").status == 404)
        #expect(bench.get("/checkout/processing").status == 404)
    }

    @Test func `the bank may ask, and a buyer who gives up there is declined`() {
        var bench = Bench()
        bench.control("POST", "options", ["ask3ds": true])
        let id = bench.checkOut()
        bench.place(id)
        #expect(bench.process(id).location == "/ap/3ds?amazonCheckoutSessionId=" + id)
        #expect(bench.get("/ap/3ds").text.contains("page-3ds"))
        #expect(bench.session(id).state == "Open")
        #expect(bench.post("/ap/3ds", [("code", "000000")]).status == 422)
        let confirmed = bench.post("/ap/3ds", [("code", "123456")])
        #expect(bench.follow(confirmed).location?.hasPrefix(Bench.result) == true)
        #expect(bench.complete(id).status == 200)
        let other = bench.checkOut()
        bench.place(other)
        _ = bench.process(other)
        #expect(bench.post("/ap/3ds", [("action", "cancel")]).location?.hasPrefix(Bench.result) == true)
        #expect(bench.session(other).stateReason == "Declined")
    }

    @Test func `an additional payment button has no review page`() {
        var bench = Bench()
        let payload: JSONValue = [
            "webCheckoutDetails": ["checkoutMode": "ProcessOrder", "checkoutResultReturnUrl": .string(Bench.result)],
            "storeId": .string(Bench.storeID),
            "paymentDetails": ["paymentIntent": "AuthorizeWithCapture", "chargeAmount": Bench.price(500)],
            "addressDetails": [
                "name": "甘存 一平", "addressLine1": "下目黒1-8-1", "postalCode": "153-0064", "stateOrRegion": "東京都",
                "countryCode": "JP", "phoneNumber": "0312345678",
            ],
        ]
        _ = bench.post("/checkout/start", Bench.startForm(payload))
        _ = bench.post("/ap/signin", [("buyer", "tokyo@example.test")])
        _ = bench.post("/ap/consent", [("action", "agree")])
        #expect(bench.get("/ap/select").text.contains("<strong>500 JPY</strong>"))
        let answer = bench.follow(bench.post("/ap/select", [("cardId", "card-1111"), ("action", "continue")]))
        let id = Bench.sessionID(in: answer.location)
        #expect(answer.location == Bench.result + "?amazonCheckoutSessionId=" + id)
        #expect(bench.session(id)[path: "shippingAddress.name"]?.text == "甘存 一平")
        #expect(bench.complete(id, 500).status == 200)
    }

    @Test func `PayOnly asks for no address`() {
        var bench = Bench()
        _ = bench.post("/checkout/start", Bench.startForm(changing: ["productType": "PayOnly"]))
        _ = bench.post("/ap/signin", [("buyer", "tokyo@example.test")])
        _ = bench.post("/ap/consent", [("action", "agree")])
        #expect(!bench.get("/ap/select").text.contains("addressId"))
        let answer = bench.post("/ap/select", [("cardId", "card-1111")])
        let session = bench.session(Bench.sessionID(in: answer.location))
        #expect(session["productType"]?.text == "PayOnly")
        #expect(session["shippingAddress"] == nil)
    }

    @Test func `HEAD has no effect`() {
        var bench = Bench()
        let id = bench.checkOut()
        bench.place(id)
        let target = "/checkout/processing?amazonCheckoutSessionId=" + id
        let answer = bench.send(SimulatorRequest("HEAD", target, fields: bench.browser.fields)).0
        #expect(answer.status == 200)
        #expect(bench.object(id)[path: "_sim.held"]?.flag == false)
    }

    @Test func `signing out forgets the browser`() {
        var bench = Bench()
        _ = bench.checkOut()
        #expect(bench.post("/ap/signout", []).status == 204)
        #expect(bench.browser.cookies.isEmpty)
    }
}
