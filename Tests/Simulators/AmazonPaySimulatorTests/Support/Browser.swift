import AmazonPaySimulator
import Primitives
import SimulatorCore
import StrictJSON

/// What a browser keeps: its cookies.
struct Browser {
    var cookies: [String: String] = [:]
    var language = "ja"

    mutating func take(_ answer: Answer) {
        if let line = answer.field("set-cookie") { take(line) }
    }

    /// Keeps the cookie of a Set-Cookie line.
    mutating func take(_ line: String) {
        let pair = line.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard pair.count == 2 else { return }
        cookies[String(pair[0])] = pair[1].isEmpty ? nil : String(pair[1])
    }

    var fields: [(name: String, value: String)] {
        let line = cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
        return [("accept-language", language)] + (line.isEmpty ? [] : [("cookie", line)])
    }
}

extension Bench {
    static let review = "https://shop.example.test/confirm_order"
    static let result = "https://shop.example.test/checkout_result"
    static let cancel = "https://shop.example.test/checkout_cancel"

    /// The payload of a button with a review page.
    static let payload: JSONValue = [
        "webCheckoutDetails": [
            "checkoutReviewReturnUrl": .string(review), "checkoutCancelUrl": .string(cancel),
        ],
        "storeId": .string(storeID), "scopes": ["name", "email", "phoneNumber", "shippingAddress"],
        "merchantMetadata": ["merchantReferenceId": "flow-1", "merchantStoreName": "見本店"],
    ]

    // MARK: The buyer

    mutating func get(_ target: String) -> Answer {
        let (answer, _) = send(SimulatorRequest("GET", target, fields: browser.fields))
        browser.take(answer)
        return answer
    }

    mutating func post(
        _ target: String,
        _ form: [(String, String)],
        fields: [(name: String, value: String)] = []
    ) -> Answer {
        let type = [(name: "content-type", value: "application/x-www-form-urlencoded")]
        let (answer, _) = send(
            SimulatorRequest("POST", target, fields: browser.fields + type + fields, body: Bench.encoded(form))
        )
        browser.take(answer)
        return answer
    }

    /// Follows redirects inside the simulator.
    mutating func follow(_ answer: Answer) -> Answer {
        var answer = answer
        var rest = 20
        while let location = answer.location, location.hasPrefix("/"), rest > 0 {
            answer = get(location)
            rest -= 1
        }
        return answer
    }

    /// The form that the button posts.
    static func startForm(
        _ payload: JSONValue = payload,
        changing changes: [String: String?] = [:]
    ) -> [(String, String)] {
        var form: [String: String] = [
            "merchantId": merchantID, "publicKeyId": keyID, "ledgerCurrency": "JPY", "sandbox": "true",
            "checkoutLanguage": "ja_JP", "productType": "PayAndShip", "placement": "Cart",
            "payloadJSON": String(decoding: payload.bytes, as: UTF8.self), "signature": "-",
            "algorithm": "AMZN-PAY-RSASSA-PSS-V2", "origin": "https://shop.example.test",
        ]
        for (name, value) in changes { form[name] = value }
        return form.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// Goes from the button to the merchant's review page by the pages' own forms.
    ///
    /// - Returns: The id of the checkout session.
    mutating func checkOut(
        as email: String = "tokyo@example.test",
        address: String = "tokyo",
        card: String = "card-1111",
        payload: JSONValue = payload,
        productType: String = "PayAndShip"
    ) -> String {
        _ = post("/checkout/start", Bench.startForm(payload, changing: ["productType": productType]))
        _ = post("/ap/signin", [("email", email), ("password", "x"), ("action", "signin")])
        _ = post("/ap/consent", [("action", "agree")])
        let answer = post("/ap/select", [("addressId", address), ("cardId", card), ("action", "continue")])
        return Bench.sessionID(in: answer.location)
    }

    /// The session id that a URL carries; empty where it carries none.
    static func sessionID(in url: String?) -> String {
        guard let url, let mark = url.firstRange(of: "amazonCheckoutSessionId=") else { return "" }
        return String(url[mark.upperBound...].prefix { $0 != "&" && $0 != "#" })
    }

    /// The merchant sets everything that is missing.
    @discardableResult
    mutating func place(_ id: String, _ payment: JSONValue = Bench.payment(27_996)) -> Answer {
        call(
            "PATCH",
            "/v2/checkoutSessions/" + id,
            ["webCheckoutDetails": ["checkoutResultReturnUrl": .string(Bench.result)], "paymentDetails": payment]
        )
    }

    static func payment(_ yen: Int, intent: String = "Authorize", pending: Bool = false) -> JSONValue {
        [
            "paymentIntent": .string(intent), "canHandlePendingAuthorization": .bool(pending),
            "chargeAmount": price(yen),
        ]
    }

    static func price(_ yen: Int) -> JSONValue { ["amount": .string(String(yen)), "currencyCode": "JPY"] }

    mutating func process(_ id: String) -> Answer {
        get("/checkout/processing?amazonCheckoutSessionId=" + id)
    }

    mutating func complete(
        _ id: String,
        _ yen: Int = 27_996,
        key: String? = nil,
        simulation: String? = nil
    ) -> Answer {
        let key = key ?? freshKey()
        let fields = simulation.map { [(name: "x-amz-pay-simulation-code", value: $0)] } ?? []
        return call(
            "POST",
            "/v2/checkoutSessions/\(id)/complete",
            ["chargeAmount": Bench.price(yen)],
            key: key,
            fields: fields
        )
    }

    mutating func session(_ id: String) -> JSONValue { call("GET", "/v2/checkoutSessions/" + id).json }

    /// A session whose money is held.
    mutating func held(card: String = "card-1111", _ payment: JSONValue = Bench.payment(27_996)) -> String {
        let id = checkOut(card: card)
        place(id, payment)
        _ = process(id)
        return id
    }

    /// A completed session with its permission and charge.
    mutating func paid(
        _ payment: JSONValue = Bench.payment(27_996)
    ) -> (session: String, permission: String, charge: String) {
        let id = held(payment)
        let done = complete(id).json
        return (id, done["chargePermissionId"]?.text ?? "", done["chargeId"]?.text ?? "")
    }

    static func encoded(_ form: [(String, String)]) -> [UInt8] {
        Array(form.map { "\($0.0)=\(escaped($0.1))" }.joined(separator: "&").utf8)
    }

    private static func escaped(_ text: String) -> String {
        var output = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."):
                output.append(Character(Unicode.Scalar(byte)))
            default: output += "%" + Hex.encode([byte]).uppercased()
            }
        }
        return output
    }
}
