import AmazonPay
import Foundation
import HTTPCore
import MerchantOrders
import Notifications
import Primitives
import SallyportClient
import Webhooks

/// URLs, hosts and links.
///
/// What is an address for one reader is one for a second grammar, with the same parts; what is allowed lies where it must. The first byte
/// selects the reader.
let addressTarget = FuzzTarget(
    name: "address",
    examine: { unit in
        guard let selection = Selection(unit, of: 3) else { return }
        switch selection.number {
        case 0: examineURL(selection.rest)
        case 1: examineHost(selection.rest)
        default:
            examineLink(selection.rest)
            // A piece of a link that is right otherwise, which by itself would seldom come up: behind the host, and one more value.
            examineLink(Array(linkBase.utf8) + selection.rest + Array(linkRest.utf8))
            examineLink(Array((linkBase + linkRest + "&").utf8) + selection.rest)
        }
    },
    read: { unit in
        let address = text(unit.dropFirst())
        _ = HTTPURL(address)
        _ = HTTPHost(address)
        _ = CallbackOrigin(of: address, orClearLoopback: true)
        _ = AppLinkOrigin(of: address)
        _ = WebhookAddress.problem(address, allowsLoopback: true)
        _ = certificateRule.certificateURL(address)
        _ = certificateRule.allowsConfirmation(address)
        _ = redirects?.allows(address)
        _ = isWrittenLink(address, base: linkBase)
        if let configuration { _ = try? ReturnLink(address, configuration: configuration) }
    }
)

private let certificateRule = CertificateURLRule(extraAuthorities: ["localhost:8443"])
private let redirects = try? RedirectPolicy(hosts: ["payments.amazon.co.jp"])
private let linkBase = "https://pay-links.example.com"
private let linkRest =
    "/index.html?secureWebviewSessionId=swc_\(mark)&old_secureWebviewSessionId=swa_\(mark)&accessToken=sealed&orderReferenceId=1"
private let mark = String(repeating: "A", count: 64)
private let configuration: CheckoutConfiguration? = {
    guard let web = URL(string: "https://pay.example.com"), let link = URL(string: linkBase) else { return nil }
    return try? CheckoutConfiguration(webOrigin: web, linkOrigin: link, client: .iosApp)
}()

private func examineURL(_ bytes: [UInt8]) {
    guard String(validating: bytes, as: UTF8.self) != nil else { return }
    let address = text(bytes)
    let parts = AddressGrammar.url(bytes)
    let url = HTTPURL(address)
    check((url == nil) == (parts == nil), "both readers take the same addresses: \(shown(bytes))")
    if let url, let parts {
        let host = RequestGrammar.lower(parts.host)
        check(url.isSecure == parts.isSecure && Array(url.host.text.utf8) == host, "both readers find the same host")
        check((url.port.map { ":\($0)" } ?? "") == text(parts.port), "both readers find the same port")
        check(Array(url.rest.utf8) == parts.rest, "both readers find the same rest")
        check(HTTPURL(url.origin + url.rest) != nil, "an address can be put together again")
        check(isRight(url.host, host), "both readers find the same number in \(shown(host))")
    }
    // Each rule allows less than the grammar.
    let isSecure = parts?.isSecure == true
    check(CallbackOrigin(of: address) == nil || isSecure, "a callback is an https address")
    check(
        !certificateRule.allows(address) || isSecure || address.hasPrefix("http://localhost:"),
        "a certificate is fetched by https"
    )
    if certificateRule.allows(address) || certificateRule.allowsConfirmation(address), let parts {
        let host = text(RequestGrammar.lower(parts.host))
        let isService =
            host.hasPrefix("sns.") && (host.hasSuffix(".amazonaws.com") || host.hasSuffix(".amazonaws.com.cn"))
        check(isService || host == "localhost", "a certificate is fetched from the service alone, not from \(host)")
    }
    if redirects?.allows(address) == true {
        let host = parts.map { text($0.host) }
        check(isSecure && host == "payments.amazon.co.jp", "a buyer is sent to a listed host, not to \(shown(bytes))")
    }
    if WebhookAddress.problem(address, allowsLoopback: false) == nil {
        check(isSecure, "a webhook is an https address")
        let number = parts.flatMap { AddressGrammar.resolved($0.host) }
        check(number.map { $0 >> 24 != 127 && $0 >> 16 != 0xA9FE } ?? true, "a webhook leads to another machine")
    }
}

private func isRight(_ host: HTTPHost, _ written: [UInt8]) -> Bool {
    let name = written.last == UInt8(ascii: ".") ? written.dropLast() : written[...]
    switch host.number {
    case .v4(let bits): return AddressGrammar.resolved(Array(name)) == bits
    case .v6(let groups):
        let octets = groups.flatMap { [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)] }
        return AddressGrammar.version6(written.dropFirst().dropLast()) == AddressGrammar.Number(octets)
    case nil: return written.first != UInt8(ascii: "[") && isName(name)
    }
}

/// Whether a name's last label begins with no digit.
private func isName(_ name: ArraySlice<UInt8>) -> Bool {
    let label = name.split(separator: UInt8(ascii: ".")).last
    return label?.first.map { !(0x30...0x39).contains($0) } ?? false
}

private func examineHost(_ bytes: [UInt8]) {
    guard String(validating: bytes, as: UTF8.self) != nil else { return }
    let isHost = AddressGrammar.isHost(bytes)
    let host = HTTPHost(text(bytes))
    check((host != nil) == isHost, "both readers take the same hosts: \(shown(bytes))")
    guard let host else { return }
    check(Array(host.text.utf8) == RequestGrammar.lower(bytes), "a host is what was written, in lower case")
    check(HTTPHost(host.text) == host, "a host is taken again as it is written")
    check(isRight(host, RequestGrammar.lower(bytes)), "both readers find the same number in \(shown(bytes))")
}

/// Return links, as the server writes them and as the app reads them.
private func examineLink(_ bytes: [UInt8]) {
    guard let configuration, String(validating: bytes, as: UTF8.self) != nil else { return }
    let address = text(bytes)
    let link = try? ReturnLink(address, configuration: configuration)
    if isWrittenLink(address, base: linkBase) {
        check(
            bytes.starts(with: Array("\(linkBase)/index.html?secureWebviewSessionId=swc_".utf8)),
            "a link begins as the server writes it"
        )
    }
    guard let link else { return }
    // An app believes nothing that a second grammar does not find on its own host.
    var lower = bytes
    lower.replaceSubrange(..<min(8, bytes.count), with: RequestGrammar.lower(bytes.prefix(8)))
    guard let parts = AddressGrammar.url(lower) else { return check(false, "a link is an address: \(shown(bytes))") }
    let isOurs = parts.isSecure && RequestGrammar.lower(parts.host) == Array("pay-links.example.com".utf8)
    check(isOurs && [[], Array(":443".utf8)].contains(parts.port), "a link is on our host: \(shown(bytes))")
    check(parts.rest.starts(with: "/index.html?".utf8), "a link has the one path")
    let items = parts.rest.dropFirst(12).split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
    for (name, value) in [("secureWebviewSessionId", link.returnTicket), ("orderReferenceId", link.orderReferenceID)] {
        let start = Array("\(name)=".utf8)
        let values = items.filter { $0.starts(with: start) }.map { Array($0.dropFirst(start.count)) }
        check(values == [Array(value.utf8)], "a link has one \(name)")
    }
}
