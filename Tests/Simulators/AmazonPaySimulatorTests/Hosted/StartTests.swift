import AmazonPaySimulator
import Primitives
import SimulatorCore
import StrictJSON
import Testing

@Suite("The form of the button")
struct StartTests {
    @Test(
        arguments: [
            ("merchantId", nil, "MissingParameterValue"), ("merchantId", "A9", "UnknownMerchant"),
            ("publicKeyId", nil, "MissingParameterValue"), ("publicKeyId", "SANDBOX-X", "UnknownPublicKey"),
            ("ledgerCurrency", "USD", "CurrencyMismatch"), ("ledgerCurrency", "", "MissingParameterValue"),
            ("productType", "Donate", "InvalidParameterValue"), ("payloadJSON", nil, "MissingParameterValue"),
            ("payloadJSON", "{", "InvalidRequestFormat"), ("payloadJSON", "[]", "InvalidRequestFormat"),
            ("payloadJSON", "{}", "MissingParameterValue"), ("payloadJSON", #"{"x":1}"#, "UnrecognizedField"),
            ("origin", "https://evil.example.test", "DomainNotAllowed"), ("origin", "nonsense", "DomainNotAllowed"),
        ] as [(String, String?, String)]
    )
    func `is refused with a page that names the reason`(name: String, value: String?, code: String) {
        var bench = Bench()
        let answer = bench.post("/checkout/start", Bench.startForm(changing: [name: value]))
        #expect(answer.status == 400)
        #expect(answer.text.contains("<code id=\"error-code\">\(code)</code>"))
        #expect(bench.browser.cookies.isEmpty)
    }

    @Test(arguments: [
        ("storeId", "another", "InvalidParameterValue"), ("scopes", "name", "InvalidParameterValue"),
        ("chargePermissionType", "Sometimes", "InvalidParameterValue"),
    ])
    func `has its payload checked`(member: String, value: String, code: String) {
        var bench = Bench()
        var payload = Bench.payload.members.filter { $0.name != member }
        payload.append(JSONMember(member, .string(value)))
        let answer = bench.post("/checkout/start", Bench.startForm(.object(payload)))
        #expect(answer.text.contains("<code id=\"error-code\">\(code)</code>"))
    }

    @Test(
        arguments: [
            ("JP", "100-21*", true), ("JP", "1002101", true), ("JP", "*", true), ("JP", "1*1", false),
            ("JP", "", false),
            ("jp", "1*", false), ("JPN", "1*", false),
        ]
    )
    func `names countries by two letters, and the beginning of a postal code by a star`(
        country: String,
        code: String,
        isGood: Bool
    ) {
        var bench = Bench()
        let region = JSONMember(country, ["zipCodes": [.string(code)]])
        let restrictions: JSONValue = ["type": "NotAllowed", "restrictions": .object([region])]
        let rules = JSONMember("deliverySpecifications", ["addressRestrictions": restrictions])
        let answer = bench.post("/checkout/start", Bench.startForm(.object(Bench.payload.members + [rules])))
        #expect((answer.status == 303) == isGood)
        #expect(answer.text.contains("<code id=\"error-code\">InvalidParameterValue</code>") != isGood)
    }

    @Test(
        arguments: [
            ("https://shop.example.test", nil, true), ("https://evil.example.test", nil, false),
            ("https://localhost:8443", nil, true), ("http://127.0.0.1:9", nil, true), ("null", nil, true),
            (nil, "https://shop.example.test/cart", true), (nil, "https://evil.example.test/cart", false),
            (nil, nil, true),
        ] as [(String?, String?, Bool)]
    )
    func `comes from a page of the merchant`(origin: String?, referer: String?, isAllowed: Bool) {
        var bench = Bench()
        var fields: [(name: String, value: String)] = []
        if let origin { fields.append(("origin", origin)) }
        if let referer { fields.append(("referer", referer)) }
        let answer = bench.post("/checkout/start", Bench.startForm(), fields: fields)
        #expect((answer.status == 303) == isAllowed)
    }

    @Test(
        arguments: [
            ("storeId", nil, "MissingParameterValue"), ("storeId", "another", "InvalidParameterValue"),
            ("signInReturnUrl", nil, "MissingParameterValue"),
            ("signInReturnUrl", "http://shop.example.test/", "InvalidParameterValue"),
            ("signInReturnUrl", "com.example.shop://in", "InvalidParameterValue"),
            ("signInScopes", "name", "InvalidParameterValue"), ("webCheckoutDetails", "x", "UnrecognizedField"),
        ] as [(String, String?, String)]
    )
    func `of a sign-in has its payload checked`(member: String, value: String?, code: String) {
        var bench = Bench()
        var payload = RowShop.signInPayload.members.filter { $0.name != member }
        if let value { payload.append(JSONMember(member, .string(value))) }
        let form = Bench.startForm(.object(payload), changing: ["productType": "SignIn"])
        #expect(bench.post("/checkout/start", form).text.contains("<code id=\"error-code\">\(code)</code>"))
    }

    @Test(arguments: ["checkoutResultReturnUrl", "checkoutCancelUrl"])
    func `of an app names three links`(missing: String) {
        var bench = Bench()
        let links = JSONValue.object(RowShop.links.members.filter { $0.name != missing })
        let payload = RowShop.mobilePayload().members.map { member in
            member.name == "webCheckoutDetails" ? JSONMember(member.name, links) : member
        }
        let answer = bench.post("/checkout/start", Bench.startForm(.object(payload)))
        #expect(answer.text.contains("<code id=\"error-code\">MissingParameterValue</code>"))
    }

    @Test(arguments: [
        ("com.example.shop://checkout/result", true), ("https://shop.example.test/app", true), ("shop://result", false),
        ("javascript://shop.example.test/%0aalert(1)", false), ("com.example..shop://x", false),
        (".example.shop://x", false), ("1.example.shop://x", false), ("com.example.shop:x", false),
        ("com.example.shop://", false), ("http://shop.example.test/", false),
    ])
    func `of an app may lead into the app`(link: String, isAllowed: Bool) {
        var bench = Bench()
        let links = RowShop.links.members.map { member in
            member.name == "checkoutResultReturnUrl" ? JSONMember(member.name, .string(link)) : member
        }
        let payload = RowShop.mobilePayload().members.map { member in
            member.name == "webCheckoutDetails" ? JSONMember(member.name, .object(links)) : member
        }
        let answer = bench.post("/checkout/start", Bench.startForm(.object(payload)))
        #expect((answer.status == 303) == isAllowed)
        // The page's policy lets the browser go on to the app after a form.
        guard isAllowed, link.hasPrefix("com.") else { return }
        let page = bench.follow(answer)
        #expect(page.field("content-security-policy")?.contains(" com.example.shop:") == true)
    }

    @Test func `an additional payment button has rules of its own`() {
        var bench = Bench()
        func start(_ details: JSONValue?, product: String, payment: JSONValue = Bench.payment(500)) -> String {
            var payload: [JSONMember] = [
                JSONMember(
                    "webCheckoutDetails",
                    ["checkoutMode": "ProcessOrder", "checkoutResultReturnUrl": .string(Bench.result)]
                ), JSONMember("storeId", .string(Bench.storeID)), JSONMember("paymentDetails", payment),
            ]
            if let details { payload.append(JSONMember("addressDetails", details)) }
            let form = Bench.startForm(.object(payload), changing: ["productType": product])
            return bench.post("/checkout/start", form).text
        }
        #expect(start(nil, product: "PayAndShip").contains("MissingParameterValue"))
        #expect(start(["countryCode": "JP"], product: "PayAndShip").contains("MissingParameterValue"))
        #expect(start(["countryCode": "JP"], product: "PayOnly").contains("InvalidParameterCombination"))
        #expect(
            start(nil, product: "PayOnly", payment: ["paymentIntent": "Authorize"]).contains("MissingParameterValue")
        )
        #expect(start(nil, product: "PayOnly") == "")
    }

    @Test func `a suspended account is refused`() {
        var bench = Bench { configuration in
            let known = Bench.merchant
            configuration.merchants = [
                Merchant(id: known.id, storeIDs: known.storeIDs, publicKeys: known.publicKeys, isActive: false)
            ]
        }
        #expect(bench.post("/checkout/start", Bench.startForm()).text.contains("InvalidAccountStatus"))
    }
}

@Suite("A hosted page")
struct HostedPageTests {
    static let polyglot =
        #"jaVasCript:/*-/*`/*\`/*'/*"/**/(/* */oNcliCk=alert() )//</stYle/</titLe/</scRipt/--!>\x3csVg/<sVg/oNloAd=alert()//>&amp;{{7*7}}"#

    @Test func `escapes whatever it shows`() {
        var bench = Bench { configuration in
            let evil = Self.polyglot
            let address = PostalAddress(
                name: evil,
                lines: [evil],
                stateOrRegion: evil,
                postal: ("JP", evil),
                phoneNumber: evil
            )
            configuration.buyers = [
                TestBuyer(id: "b", email: evil, name: evil, phoneNumber: "", addresses: [.init(evil, address)])
            ]
        }
        var payload = Bench.payload.members.filter { $0.name != "merchantMetadata" }
        payload.append(JSONMember("merchantMetadata", ["merchantStoreName": .string(String(Self.polyglot.prefix(50)))]))
        let started = bench.post("/checkout/start", Bench.startForm(.object(payload)))
        var pages = [bench.follow(started)]
        pages.append(bench.post("/ap/signin", [("email", Self.polyglot), ("password", "wrong")]))
        pages.append(bench.follow(bench.post("/ap/signin", [("buyer", Self.polyglot)])))
        pages.append(bench.follow(bench.post("/ap/consent", [("action", "agree")])))
        for (name, code) in [("merchantId", "UnknownMerchant"), ("productType", "InvalidParameterValue")] {
            let page = bench.post("/checkout/start", Bench.startForm(changing: [name: Self.polyglot]))
            #expect(page.text.contains(code))
            pages.append(page)
        }
        pages.append(bench.get("/ap/error?code=%3Cscript%3E"))
        for page in pages {
            #expect(page.text.contains("</html>"))
            #expect(!page.text.contains("<sVg"))
            #expect(!page.text.contains("</scRipt"))
            #expect(!page.text.contains("'/*\"/**/"))
            #expect(!page.text.lowercased().contains("<script>"))
        }
        #expect(pages.count { $0.text.contains("&lt;sVg/oNloAd") } >= 4)
    }

    @Test(arguments: ["ja", "en"])
    func `says that no payment is real, may not be framed or indexed, and runs no foreign script`(language: String) {
        var bench = Bench()
        let changes = ["checkoutLanguage": language == "ja" ? "ja_JP" : "en_US"]
        _ = bench.post("/checkout/start", Bench.startForm(changing: changes))
        var pages = [bench.get("/ap/signin")]
        pages.append(bench.follow(bench.post("/ap/signin", [("buyer", "tokyo@example.test")])))
        pages.append(bench.follow(bench.post("/ap/consent", [("action", "agree")])))
        for page in pages {
            #expect(page.text.contains("<html lang=\"\(language)\">"))
            #expect(page.text.contains(language == "ja" ? "実際の支払いは行われません" : "no real payment"))
            #expect(page.field("x-robots-tag") == "noindex")
            #expect(page.field("x-frame-options") == "DENY")
            #expect(page.field("cache-control") == "no-store")
            let policy = page.field("content-security-policy") ?? ""
            #expect(policy.hasPrefix("default-src 'none'; style-src 'self'; script-src 'self';"))
            // Wherever the merchant's pages lead.
            #expect(policy.contains("form-action 'self' https: http://localhost:*"))
            #expect(policy.contains("frame-ancestors 'none'"))
        }
    }

    @Test(arguments: [("ja,en;q=0.5", "ja"), ("en-US,en", "en"), ("fr", "en"), ("*", "ja"), ("", "ja")])
    func `without a visit speaks the browser's language`(accept: String, language: String) {
        var bench = Bench()
        bench.browser.language = accept
        #expect(bench.get("/ap/error?code=VisitNotFound").text.contains("<html lang=\"\(language)\">"))
    }

    @Test(arguments: [
        ("GET", "/ap/nothing", 404), ("GET", "/", 404), ("PUT", "/ap/signin", 405), ("GET", "/checkout/start", 405),
        ("POST", "/checkout.js", 405), ("GET", "/ap/signin?x=%ZZ", 400), ("GET", "/checkout.js", 200),
        ("HEAD", "/checkout.js", 200), ("GET", "/ap/style.css", 200), ("GET", "/ap/handoff.js", 200),
        ("GET", "/ap/error?code=AnotherBuyer", 403), ("GET", "/ap/error", 404),
    ])
    func `has its methods and its place`(method: String, target: String, status: Int) {
        var bench = Bench()
        #expect(bench.send(SimulatorRequest(method, target)).0.status == status)
    }

    @Test func `sets a secure cookie over TLS only`() {
        for isSecure in [true, false] {
            var bench = Bench()
            let form = Bench.startForm().map { "\($0.0)=\($0.1.replacing("&", with: "%26"))" }.joined(separator: "&")
            let request = SimulatorRequest("POST", "/checkout/start", body: Array(form.utf8), isSecure: isSecure)
            let cookie = bench.send(request).0.field("set-cookie") ?? ""
            #expect(cookie.contains("; Secure") == isSecure)
        }
    }

    @Test func `the script knows every member of the vendor's`() {
        var bench = Bench()
        let script = bench.get("/checkout.js")
        #expect(script.field("content-type")?.hasPrefix("text/javascript") == true)
        for name in ["renderButton", "initCheckout", "bindChangeAction", "signout", "updateButtonInfo", "onClick"] {
            #expect(script.text.contains(name))
        }
    }
}
