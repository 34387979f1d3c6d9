import EventIO
import IntegrationKit
import Primitives
import Program
import StrictJSON
import Testing

/// The first apps, which have no account and post what their system gave them.
@Suite("An app that posts a form") struct DeviceFormTests {
    private static let answer = #"{"object":"devicePost","before":"new","state":"trial-used"}"#

    @Test func `has its device marked, octet for octet as the first ones sent it`() async throws {
        try await withDeviceShop(["device_check.form_path": "/v1/request_token"], isSecure: false) { shop in
            let phone = try await shop.phone()
            let token = try #require(try await phone.text())
            let url = shop.shop.web
            let agent = "User-Agent: Shop/1 CFNetwork/887 Darwin/17.0.0"
            let request = Self.lines(to: url, "deviceToken=" + token, [agent, "Accept-Language: ja-jp"])
            let answer = try await Self.answer(to: request, shop)
            #expect(answer.hasPrefix("HTTP/1.1 200") && answer.contains(Self.answer), "\(answer)")
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
            let url = shop.shop.web
            let request = Self.lines(to: url, path: "/token.php", content, ["Accept: */*"])
            let answer = try await Self.answer(to: request, shop)
            #expect(answer.hasPrefix("HTTP/1.1 200") && answer.contains(Self.answer), "\(answer)")
        }
    }

    private static func lines(
        to url: String,
        path: String = "/v1/request_token",
        _ content: String,
        _ fields: [String]
    ) -> String {
        let head = ["POST \(path) HTTP/1.1", "Host: \(url.dropFirst("http://".count))"] + fields
        let form = ["Content-Type: application/x-www-form-urlencoded", "Content-Length: \(content.utf8.count)"]
        return (head + form).joined(separator: "\r\n") + "\r\n\r\n" + content
    }

    /// Sends octets over a socket and reads what comes back.
    private static func answer(to request: String, _ shop: DeviceShop) async throws -> String {
        let post = try RawPost(request, to: try #require(shop.shop.broker.addresses.first))
        try await shop.shop.wait(for: "an answer") { try post.isAnswered() }
        return post.answer
    }
}

/// A request as octets, and what came back; the connection stays open until both are whole.
private final class RawPost {
    private var socket: Descriptor
    private var rest: ArraySlice<UInt8>
    private var received: [UInt8] = []

    init(_ request: String, to address: SocketAddress) throws {
        socket = try Socket.connect(to: address)
        rest = Array(request.utf8)[...]
    }

    deinit { socket.closeInPlace() }

    var answer: String { String(decoding: received, as: UTF8.self) }

    /// Goes on as far as the connection lets it.
    func isAnswered() throws -> Bool {
        var left = rest
        while !left.isEmpty {
            guard case .done(let count) = try Socket.send(socket, left.span) else { return false }
            left = left.dropFirst(count)
            rest = left
        }
        while case .done(let more) = try Socket.receive(socket, appendingTo: &received, limit: 65_536) {
            guard more > 0 else { break }
        }
        return received.suffix(2).elementsEqual("}\n".utf8)
    }
}
