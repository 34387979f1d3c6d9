import AmazonPay
import Commerce
import Testing

@Suite("A checkout that an app starts")
struct MobileTests {
    @Test func `is signed with its three links, its mode, its amount and its address`() {
        var payload = CheckoutPayload(
            mobile: MobileLinks(
                result: "com.example.shop://result",
                cancel: "https://links.example.test/cancel",
                error: "com.example.shop://error"
            ),
            payment: PaymentDetails(amount: Money(Yen(28_536))),
            storeID: "store"
        )
        payload.deliveryAddress = Address([.name: "見本 花子", .postalCode: "060-0001", .district: "中央"])
        let rest =
            #""merchantMetadata":{},"paymentDetails":{"canHandlePendingAuthorization":false,"#
            + #""chargeAmount":{"amount":"28536","currencyCode":"JPY"},"paymentIntent":"Authorize"},"storeId":"store","#
            + #""webCheckoutDetails":{"checkoutCancelUrl":"https://links.example.test/cancel","#
            + #""checkoutErrorUrl":"com.example.shop://error","#
        let address = #"{"districtOrCounty":"中央","name":"見本 花子","postalCode":"060-0001"}"#
        #expect(
            String(decoding: payload.json, as: UTF8.self)
                == #"{"addressDetails":\#(address),"chargePermissionType":"OneTime",\#(rest)"#
                + #""checkoutMode":"ProcessOrder","checkoutResultReturnUrl":"com.example.shop://result"}}"#
        )
        // A server that creates the session itself names no mode.
        #expect(
            String(decoding: CheckoutCreation(payload).json, as: UTF8.self)
                == #"{"addressDetails":\#(address),"chargePermissionType":"OneTime",\#(rest)"#
                + #""checkoutResultReturnUrl":"com.example.shop://result"}}"#
        )
    }
}

@Suite("Payment details")
struct PaymentDetailsTests {
    @Test func `are what the service takes`() throws {
        #expect(PaymentDetails(amount: Money(Yen(1))).problems.isEmpty)
        #expect(PaymentDetails(.confirm, amount: nil).problems.isEmpty)
        var taken = PaymentDetails(.authorizeWithCapture, amount: Money(Yen(1)))
        taken.softDescriptor = String(repeating: "店", count: 16)
        #expect(taken.problems.isEmpty)
        var held = PaymentDetails(amount: Money(Yen(1)))
        held.canHandlePendingAuthorization = true
        held.totalOrderAmount = Money(Yen(2))
        #expect(held.problems.isEmpty)
    }

    @Test func `name what the service would refuse`() throws {
        #expect(PaymentDetails(amount: nil).problems.count == 1)
        for intent in [PaymentIntent.confirm, .authorizeWithCapture] {
            var details = PaymentDetails(intent, amount: Money(Yen(1)))
            details.canHandlePendingAuthorization = true
            #expect(details.problems.count == 1)
        }
        var details = PaymentDetails(amount: Money(Yen(1)))
        details.softDescriptor = String(repeating: "a", count: 17)
        details.totalOrderAmount = Money(units: 1, .usd)
        #expect(details.problems.count == 3)
    }

    @Test func `of an update are sent as they are`() throws {
        var payment = PaymentDetails(.authorizeWithCapture, amount: Money(units: 1_250, .usd))
        payment.softDescriptor = "SHOP"
        let update = CheckoutUpdate(resultURL: "https://a.test/r", payment: payment, metadata: MerchantMetadata())
        #expect(
            String(decoding: update.json, as: UTF8.self)
                == #"{"merchantMetadata":{},"paymentDetails":{"canHandlePendingAuthorization":false,"#
                + #""chargeAmount":{"amount":"12.50","currencyCode":"USD"},"paymentIntent":"AuthorizeWithCapture","#
                + #""softDescriptor":"SHOP"},"webCheckoutDetails":{"checkoutResultReturnUrl":"https://a.test/r"}}"#
        )
    }
}
