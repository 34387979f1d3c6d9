import AmazonPaySimulator
import StrictJSON
import Testing

extension RowShop {
    static let signInPayload: JSONValue = [
        "signInReturnUrl": "https://shop.example.test/signed-in?next=cart",
        "signInCancelUrl": "https://shop.example.test/", "storeId": .string(Bench.storeID),
        "signInScopes": ["name", "email", "postalCode"],
    ]

    /// The token of a buyer who has signed in.
    func signedIn() async throws -> String {
        let end = try await start(RowShop.signInPayload, product: "SignIn")
        let mark = "https://shop.example.test/signed-in?next=cart&buyerToken="
        #expect(end.hasPrefix(mark), "\(end)")
        return String(end.dropFirst(mark.count))
    }
}

extension Row {
    static let otherRows: [Row] =
        cardRows + reasonRows + [
            Row("buyer: what the scopes allow, for a day") { shop in
                let token = try await shop.signedIn()
                let buyer = try await shop.get("buyers/" + token)
                #expect(buyer["name"]?.text == "見本 太郎")
                #expect(buyer["email"]?.text == "tokyo@example.test")
                #expect(buyer["postalCode"]?.text == "153-0064")
                #expect(buyer["countryCode"]?.text == "JP")
                #expect(buyer["phoneNumber"] == nil && buyer["shippingAddress"] == nil)
                try await shop.advance("PT23H")
                #expect(try await shop.call("GET", "buyers/" + token).status == 200)
                try await shop.advance("PT1H")
                let late = try await shop.call("GET", "buyers/" + token)
                #expect(late.refusal == Refusal(status: 404, reason: "ResourceNotFound"))
                // The token is as good as the data, so nothing repeats it.
                let log = try await shop.control("GET", "log").json
                #expect(!String(decoding: log.bytes, as: UTF8.self).contains(token))
                #expect(!String(decoding: late.json.bytes, as: UTF8.self).contains(token))
            },
            Row("buyer: a token that nobody has given out") { shop in
                let answer = try await shop.call("GET", "buyers/nothing")
                #expect(answer.refusal == Refusal(status: 404, reason: "ResourceNotFound"))
            },
            Row("session: canceled unfinished after a day, and no charge came of it") { shop in
                let id = try await shop.held()
                try await shop.advance("PT24H")
                #expect(try await shop.get("checkoutSessions/" + id).stateReason == "Expired")
                let counts = try await shop.control("GET", "state").json["counts"]
                #expect(counts?["charges"]?.integer == 0)
                #expect(counts?["chargePermissions"]?.integer == 0)
            },
            Row("simulation code: unknown") { shop in
                let id = try await shop.held()
                let answer = try await shop.complete(id, simulation: "Nonsense")
                #expect(answer.refusal == Refusal(status: 400, reason: "InvalidSandboxSimulationSpecified"))
            },
        ]

    /// What each card of the sandbox wallet does.
    private static var cardRows: [Row] {
        let good = ["1111", "0005", "4444", "9424", "0000"].map { digits in
            Row("card \(digits): success") { shop in
                let id = try await shop.held(card: "card-" + digits)
                #expect(try await shop.complete(id).status == 200)
            }
        }
        let canceled = [("3064", "BuyerCanceled"), ("3434", "Declined")].map { digits, reason in
            Row("card \(digits): \(reason) before complete") { shop in
                let id = try await shop.held(card: "card-" + digits)
                #expect(try await shop.get("checkoutSessions/" + id).stateReason == reason)
            }
        }
        let pending = ["0701", "4354"].map { digits in
            Row("card \(digits): needs a merchant who can wait") { shop in
                let id = try await shop.held(card: "card-" + digits)
                let answer = try await shop.complete(id)
                #expect(answer.refusal == Refusal(status: 422, reason: "InvalidCheckoutSessionStatus"))
                #expect(try await shop.get("checkoutSessions/" + id).state == "Open")
            }
        }
        return good + canceled + pending
    }

    /// Every code of the error table, by one fault each.
    private static var reasonRows: [Row] {
        let table: [(status: Int, codes: String)] = [
            (
                400,
                """
                InvalidHeaderValue MissingHeader MissingHeaderValue InvalidRequest InvalidRequestFormat \
                InvalidParameterValue MissingParameterValue UnrecognizedField InvalidParameterCombination \
                InvalidAPIVersion CurrencyMismatch TransactionAmountExceeded PeriodicAmountExceeded \
                InvalidSandboxSimulationSpecified DuplicateIdempotencyKey
                """
            ), (401, "UnauthorizedAccess"),
            (403, "InvalidAuthentication InvalidAccountStatus InvalidRequestSignature InvalidAuthorizationToken"),
            (404, "ResourceNotFound"), (405, "UnsupportedOperation RequestNotSupported"), (408, "RequestTimeout"),
            (409, "AmountMismatch"),
            (
                422,
                """
                InvalidCheckoutSessionStatus CheckoutSessionCanceled InvalidChargeStatus \
                InvalidChargePermissionStatus ChargePermissionNotModifiable TransactionCountExceeded \
                PaymentMethodNotAllowed MFANotCompleted AmazonRejected HardDeclined SoftDeclined TransactionTimedOut
                """
            ), (425, "TooEarly"), (426, "TLSVersionNotSupported"), (429, "TooManyRequests"),
            (500, "InternalServerError ProcessingFailure"), (503, "ServiceUnavailable"),
        ]
        return table.flatMap { row in
            row.codes.split(separator: " ").map { refused(row.status, String($0)) }
        }
    }

    private static func refused(_ status: Int, _ code: String) -> Row {
        Row("refusal: \(status) \(code)") { shop in
            let fault: JSONValue = ["match": ["operation": "GetCharge"], "action": ["reasonCode": .string(code)]]
            try await shop.control("POST", "faults", fault)
            #expect(try await shop.call("GET", "charges/x").refusal == Refusal(status: status, reason: code))
        }
    }
}
