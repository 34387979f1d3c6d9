import AmazonPay
import Commerce
import Foundation
import Primitives
import Testing

@Suite("Objects of the service")
struct ObjectModelTests {
    private static let permission = "S03-1234567-7654321"
    private static let charge = permission + "-C012345"
    private static let refund = permission + "-R012345"

    private func charge(_ members: String) throws -> Charge {
        try Charge(json: Array(#"{"chargeId":"\#(Self.charge)",\#(members)}"#.utf8))
    }

    private func refund(_ members: String) throws -> Refund {
        try Refund(json: Array(#"{"refundId":"\#(Self.refund)",\#(members)}"#.utf8))
    }

    private func permission(_ members: String) throws -> ChargePermission {
        try ChargePermission(json: Array(#"{"chargePermissionId":"\#(Self.permission)",\#(members)}"#.utf8))
    }

    // MARK: Charges

    @Test(arguments: [
        ("charge-authorized", Charge.State.authorized, nil), ("charge-pending", .authorizationInitiated, nil),
        ("charge-captured", .captured, nil), ("charge-declined", .declined, ReasonCode.hardDeclined),
    ])
    func `a charge has amount, state and reason`(name: String, state: Charge.State, reason: ReasonCode?) throws {
        let charge = try Charge(json: VectorFiles.object(name))
        #expect(charge.id.text == Self.charge)
        #expect(charge.permission.text == Self.permission)
        #expect(charge.state == state)
        #expect(charge.reason == reason)
        #expect(charge.amount?.yen == Yen(28_536))
        #expect(charge.captured?.yen == (state == .captured ? Yen(28_536) : nil))
        #expect(charge.refunded == nil)
        #expect(charge.creation == WallTime(seconds: 1_773_453_660))
        #expect(charge.expiration == WallTime(seconds: 1_773_453_660 + 30 * 86_400))
        #expect(charge.status.updated == charge.creation)
        #expect(charge.environment == .sandbox)
    }

    @Test(arguments: [
        ("AuthorizationInitiated", Charge.State.authorizationInitiated), ("Authorized", .authorized),
        ("CaptureInitiated", .captureInitiated), ("Captured", .captured), ("Canceled", .canceled),
        ("Declined", .declined), ("Frozen", .unknown("Frozen")), ("authorized", .unknown("authorized")),
        ("", .unknown("")),
    ])
    func `a charge keeps a state that is not known`(text: String, state: Charge.State) throws {
        #expect(try charge(#""statusDetails":{"state":"\#(text)"}"#).state == state)
    }

    @Test(arguments: [
        ReasonCode.expiredUnused, .merchantCanceled, .amazonCanceled, .chargePermissionCanceled, .buyerCanceled,
        .softDeclined, .hardDeclined, .amazonRejected, .processingFailure, .transactionTimedOut, "BrandNew",
    ])
    func `a charge keeps its reason`(reason: ReasonCode) throws {
        let charge = try charge(
            #""statusDetails":{"state":"Canceled","reasonCode":"\#(reason)","reasonDescription":"A sentence."}"#
        )
        #expect(charge.reason == reason)
        #expect(charge.status.description == "A sentence.")
    }

    @Test func `a charge in another currency keeps its coins`() throws {
        let charge = try charge(#""chargeAmount":{"amount":"12.50","currencyCode":"USD"}"#)
        #expect(charge.amount?.money?.units == 1_250)
        #expect(charge.amount?.yen == nil)
    }

    // MARK: Refunds

    @Test(arguments: [
        ("refund-initiated", Refund.State.initiated, nil), ("refund-done", .refunded, nil),
        ("refund-declined", .declined, ReasonCode.amazonRejected),
    ])
    func `a refund has charge, amount, state and reason`(
        name: String,
        state: Refund.State,
        reason: ReasonCode?
    ) throws {
        let refund = try Refund(json: VectorFiles.object(name))
        #expect(refund.id.text == Self.refund)
        #expect(refund.id.permission.text == Self.permission)
        #expect(refund.charge?.text == Self.charge)
        #expect(refund.state == state)
        #expect(refund.reason == reason)
        #expect(refund.amount?.yen == Yen(1_000))
        #expect(refund.creation == WallTime(seconds: 1_773_457_200))
        #expect(refund.environment == .sandbox)
    }

    @Test(arguments: [
        ("RefundInitiated", Refund.State.initiated), ("Refunded", .refunded), ("Declined", .declined),
        ("Frozen", .unknown("Frozen")), ("", .unknown("")),
    ])
    func `a refund keeps a state that is not known`(text: String, state: Refund.State) throws {
        #expect(try refund(#""statusDetails":{"state":"\#(text)"}"#).state == state)
    }

    // MARK: Permissions

    @Test func `a permission has limits, a buyer and a list of reasons`() throws {
        let permission = try ChargePermission(json: VectorFiles.object("chargePermission-in-progress"))
        #expect(permission.id.text == Self.permission)
        #expect(permission.state == .nonChargeable)
        #expect(permission.reasons == [.chargeInProgress])
        #expect(permission.limit?.yen == Yen(28_536))
        #expect(permission.balance?.yen == .zero)
        #expect(permission.merchantReferenceID == "MY-ORDER-1")
        #expect(permission.creation == WallTime(seconds: 1_773_453_660))
        #expect(permission.updated == permission.creation)
        #expect(permission.expiration == WallTime(seconds: 1_773_453_660 + 180 * 86_400))
        #expect(permission.buyer?.name == "見本 花子")
        #expect(permission.shippingAddress?[.stateOrRegion] == "北海道")
        #expect(permission.environment == .sandbox)
    }

    @Test(arguments: [
        ("Chargeable", ChargePermission.State.chargeable), ("NonChargeable", .nonChargeable), ("Closed", .closed),
        ("Frozen", .unknown("Frozen")), ("", .unknown("")),
    ])
    func `a permission keeps a state that is not known`(text: String, state: ChargePermission.State) throws {
        #expect(try permission(#""statusDetails":{"state":"\#(text)"}"#).state == state)
    }

    @Test(arguments: [
        ReasonCode.paymentMethodInvalid, .paymentMethodDeleted, .billingAddressDeleted, .paymentMethodExpired,
        .paymentMethodNotAllowed, .paymentMethodNotSet, .chargeInProgress, .mfaFailed, .merchantClosed,
        .merchantCanceled, .buyerClosed, .buyerCanceled, .amazonClosed, .amazonCanceled, .expired, "BrandNew",
    ])
    func `a permission keeps its reasons`(reason: ReasonCode) throws {
        let list = #"[null,{},{"reasonCode":"\#(reason)"},{"reasonCode":"a b"},{"reasonCode":"ChargeInProgress"}]"#
        #expect(try permission(#""statusDetails":{"reasons":\#(list)}"#).reasons == [reason, .chargeInProgress])
    }

    @Test(arguments: ["null", "[]", "{}", #""ChargeInProgress""#, "7", "[null]"])
    func `a permission needs no reasons`(reasons: String) throws {
        let permission = try permission(#""statusDetails":{"state":"Chargeable","reasons":\#(reasons)}"#)
        #expect(permission.reasons.isEmpty)
        #expect(permission.state == .chargeable)
    }

    @Test(arguments: ["null", "{}", #"{"amountLimit":null,"amountBalance":null}"#, #""none""#])
    func `a permission needs no limits and no end`(limits: String) throws {
        let permission = try permission(#""limits":\#(limits),"expirationTimestamp":null"#)
        #expect(permission.limit == nil)
        #expect(permission.balance == nil)
        #expect(permission.expiration == nil)
    }

    // MARK: Buyers

    @Test func `a buyer has a name and addresses, and none of it in a description`() throws {
        let profile = try BuyerProfile(json: VectorFiles.object("buyer"))
        #expect(profile.buyerID == "amzn1.account.AETESTBUYER0000000000000001")
        #expect(profile.buyer.name == "見本 花子")
        #expect(profile.buyer.email == "buyer@example.test")
        #expect(profile.phoneNumber == "0110000000")
        #expect(profile.postalCode == "060-0001")
        #expect(profile.countryCode == "JP")
        #expect(profile.shippingAddress?[.stateOrRegion] == "北海道")
        #expect(profile.billingAddress == nil)
        var dumped = ""
        dump(profile, to: &dumped)
        for text in ["\(profile)", String(reflecting: profile), dumped] {
            #expect(!text.contains("見本"))
            #expect(!text.contains("060-0001"))
        }
    }

    @Test func `a buyer needs nothing but an identifier`() throws {
        let profile = try BuyerProfile(json: Array(#"{"buyerId":"amzn1.account.A","shippingAddress":{}}"#.utf8))
        #expect(profile.buyer.name == nil)
        #expect(profile.shippingAddress == nil)
    }

    // MARK: All

    @Test(arguments: [
        #""statusDetails":null,"chargeAmount":null,"refundAmount":null,"limits":null,"buyer":null"#,
        #""statusDetails":"","chargeAmount":"","refundAmount":"","limits":"","buyer":"","releaseEnvironment":"""#,
        #""statusDetails":[],"chargeAmount":[],"refundAmount":7,"limits":[],"buyer":1,"releaseEnvironment":"Moon""#,
        #""new":{"deep":[1,{"x":null}]},"creationTimestamp":"yesterday","expirationTimestamp":7"#,
    ])
    func `need nothing but their identifiers`(members: String) throws {
        let charge = try charge(members)
        #expect(charge.state == .unknown(""))
        #expect(charge.amount == nil)
        #expect(charge.environment == nil)
        #expect(charge.creation == nil)
        let refund = try refund(members)
        #expect(refund.state == .unknown(""))
        #expect(refund.charge == nil)
        #expect(refund.amount == nil)
        let permission = try permission(members)
        #expect(permission.state == .unknown(""))
        #expect(permission.limit == nil)
        #expect(permission.buyer?.name == nil)
        #expect(permission.expiration == nil)
    }

    @Test func `are never taken for one another`() throws {
        let file = try JSONSerialization.jsonObject(with: Data(VectorFiles.bytes("objects.json")))
        let names = ((file as? [String: Any])?["objects"] as? [String: Any] ?? [:]).keys.sorted()
        #expect(names.count == 14)
        for name in names {
            let json = try VectorFiles.object(name)
            #expect(((try? Charge(json: json)) != nil) == name.hasPrefix("charge-"))
            #expect(((try? Refund(json: json)) != nil) == name.hasPrefix("refund-"))
            #expect(((try? ChargePermission(json: json)) != nil) == name.hasPrefix("chargePermission-"))
            #expect(((try? BuyerProfile(json: json)) != nil) == (name == "buyer"))
            #expect(((try? CheckoutSession(json: json)) != nil) == name.hasPrefix("checkoutSession-"))
        }
        // A session without a charge, for its intent was `Confirm`.
        let session = #"{"checkoutSessionId":"\#(ClientBench.session)","chargePermissionId":"\#(Self.permission)"}"#
        #expect(throws: AmazonPayError.self) { try ChargePermission(json: Array(session.utf8)) }
    }

    @Test(arguments: ["", "<html>", "{", "null", "[]", "{}", #"{"chargeId":"../x","refundId":"R","buyerId":""}"#])
    func `are not read from a body that holds none, and no error quotes it`(body: String) {
        let json = Array(body.utf8)
        #expect(code { () throws(AmazonPayError) in _ = try Charge(json: json) } == .unreadable)
        #expect(code { () throws(AmazonPayError) in _ = try Refund(json: json) } == .unreadable)
        #expect(code { () throws(AmazonPayError) in _ = try ChargePermission(json: json) } == .unreadable)
        #expect(code { () throws(AmazonPayError) in _ = try BuyerProfile(json: json) } == .unreadable)
    }

    private func code(_ body: () throws(AmazonPayError) -> Void) -> AmazonPayError.Code? {
        do throws(AmazonPayError) {
            try body()
            return nil
        } catch {
            return error.code
        }
    }
}

@Suite("An identifier of the service")
struct ObjectIDTests {
    @Test(arguments: ["S03-1234567-7654321", "P03-0000000-0000000", "C01-1234567-7654321", "B00-1234567-7654321"])
    func `names a permission, and leads to it`(text: String) {
        #expect(ChargePermissionID(text)?.text == text)
        #expect(ChargeID(text + "-C012345")?.permission.text == text)
        #expect(RefundID(text + "-R999999")?.permission.text == text)
        #expect(ChargeID(text + "-R012345") == nil)
        #expect(RefundID(text + "-C012345") == nil)
    }

    @Test(arguments: [
        "", "S03-1234567-765432", "S03-1234567-76543211", "s03-1234567-7654321", "S3-1234567-7654321",
        "303-1234567-7654321", "S03_1234567_7654321", "S03-123456a-7654321", " S03-1234567-7654321",
        "S03-1234567-7654321 ", "S03-1234567-765432\n", "S03-1234567-765432１", "../../../../../../x",
    ])
    func `has no other shape`(text: String) {
        #expect(ChargePermissionID(text) == nil)
        #expect(ChargeID(text + "-C012345") == nil)
        #expect(RefundID(text + "-R012345") == nil)
    }

    @Test(arguments: ["", "-C", "-C01234", "-C0123456", "-c012345", "C-012345", "-C01234a", "-C012345/x", "-C01234１"])
    func `of a charge ends in six digits`(end: String) {
        #expect(ChargeID("S03-1234567-7654321" + end) == nil)
    }

    @Test(arguments: ["a", "Atza|IwEBIA-_.~9", String(repeating: "x", count: 1024), "...", "a..b"])
    func `may be a token, which no description shows`(text: String) throws {
        let token = try #require(BuyerToken(text))
        #expect(token.text == text)
        #expect("\(token)" == "<private>")
        var dumped = ""
        dump(token, to: &dumped)
        #expect(!dumped.contains(text) || text == "a")
    }

    @Test(arguments: [
        "", ".", "..", "a/b", "a?b", "a#b", "a%2Fb", "a b", "a\nb", "é", "a+b", "a=b",
        String(repeating: "x", count: 1025),
    ])
    func `is no other token`(text: String) {
        #expect(BuyerToken(text) == nil)
    }
}
