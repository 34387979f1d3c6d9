import EventIO
import IntegrationKit
import Primitives
import Program
import StrictJSON
import Testing

/// The first apps, which have no account and post what their system gave them.
@Suite("An app that posts a form") struct DeviceFormTests {
    private static let answer = #"{"object":"devicePost","before":"new","state":"trial-used"}"#

    @Test func `has its device marked, by the content that the first ones sent`() async throws {
        try await withDeviceShop(["device_check.form_path": "/v1/request_token"], isSecure: false) { shop in
            let phone = try await shop.phone()
            let token = try #require(try await phone.text())
            let fields = [("User-Agent", "Shop/1 CFNetwork/887 Darwin/17.0.0"), ("Accept-Language", "ja-jp")]
            let answer = try await Self.post("deviceToken=" + token, to: "/v1/request_token", fields, shop)
            #expect(answer.status == 200 && answer.text.contains(Self.answer), "\(answer)")
            let records = try await phone.records()
            #expect(records.count == 1 && records.first?["bit0"] == true && records.first?["bit1"] == false)
        }
    }

    /// As PHP sends it: JSON under the type of a form, slashes with a backslash, milliseconds rounded up.
    @Test func `may be a server that sends on what it used to send to Apple`() async throws {
        try await withDeviceShop(["device_check.form_path": "/token.php"], isSecure: false) { shop in
            let phone = try await shop.phone()
            let token = try #require(try await phone.text()).replacing("/", with: "\\/")
            let time = (SystemClock().now().microseconds + 999) / 1_000
            let content = #"{"device_token":"\#(token)","transaction_id":"5a1a7e9d0f3b2","timestamp":\#(time)}"#
            let answer = try await Self.post(content, to: "/token.php", [("Accept", "*/*")], shop)
            #expect(answer.status == 200 && answer.text.contains(Self.answer), "\(answer)")
        }
    }

    /// Posts a content under the type of a form, whatever it is.
    private static func post(
        _ content: String,
        to path: String,
        _ fields: [(String, String)],
        _ shop: DeviceShop
    ) async throws -> (status: Int, text: String) {
        let form = [("Content-Type", "application/x-www-form-urlencoded")]
        let answer = try await shop.shop.http.send("POST", path, fields: form + fields, body: Array(content.utf8))
        return (answer.status, answer.text)
    }
}
