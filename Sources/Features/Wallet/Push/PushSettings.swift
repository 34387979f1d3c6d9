import Cryptography
import EventIO
import HTTP2
import HTTPClient
import HTTPCore
import Primitives
import Settings
import TLS

/// How phones are woken.
struct PushSettings: Sendable {
    let host: String
    let port: UInt16
    let trustPath: String
    let keyPath: String
    let keyID: String
    let streams: Int
    let spacing: Duration
    let expiry: Duration
    let pingAfter: Duration
    /// The value of `apns-push-type`; empty for none.
    let type: String

    init(_ read: inout SettingReader) {
        let address = read.text(
            "wallet.push_host",
            "api.push.apple.com:443",
            "push service, with its port; passes work with the vendor's production host alone",
            takes: "host:port"
        )
        let parts = PushSettings.hostAndPort(address)
        if parts == nil { read.complain("wallet.push_host", "not a host and port, such as api.push.apple.com:443") }
        host = parts?.host ?? ""
        port = parts?.port ?? 443
        trustPath = read.file(
            "wallet.push_trust",
            "PEM file: the only authorities of the push service; empty for the machine's"
        )
        keyPath = read.secretFile(
            "wallet.push_key",
            "key (.p8) of the team for provider tokens; empty: the certificate of each pass type is shown"
        )
        keyID = read.text(
            "wallet.push_key_id",
            "",
            "ten characters by which the vendor knows wallet.push_key",
            takes: "key id"
        )
        if !keyPath.isEmpty, !PushSettings.isIdentifier(keyID) {
            read.complain("wallet.push_key_id", "not the ten letters and digits that wallet.push_key goes by")
        }
        streams = read.number("wallet.push_streams", 1...1_000, 500, "pushes of a connection that may be on their way")
        spacing = read.duration(
            "wallet.push_spacing",
            1...3_600,
            .seconds(1),
            "least time between two pushes to a phone"
        )
        expiry = read.duration(
            "wallet.push_expiry",
            3_600...2_592_000,
            .seconds(86_400),
            "how long the push service keeps a push for a phone that is off"
        )
        pingAfter = read.duration(
            "wallet.push_ping",
            60...86_400,
            .seconds(3_600),
            "silence after which the push service is asked for a sign of life"
        )
        let word = read.choice("wallet.push_type", ["background", "none"], "background", "apns-push-type of a push")
        type = word.octets == "none" ? "" : word
    }

    /// The two parts of `api.push.apple.com:443` or `[::1]:443`; `nil` where it is no such text.
    private static func hostAndPort(_ text: String) -> (host: String, port: UInt16)? {
        guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")) else { return nil }
        let digits = Array(text.utf8[text.utf8.index(after: colon)...])
        guard let port = DecimalDigits.parse(digits.span, limit: 65_535), port > 0 else { return nil }
        if let address = SocketAddress(text), !address.host.isEmpty { return (address.host, UInt16(port)) }
        let host = String(text[..<colon])
        let isName =
            (1...253).contains(host.utf8.count)
            && host.utf8.allSatisfy { byte in
                Base64URL.contains(byte) || byte == UInt8(ascii: ".")
            }
        return isName ? (host, UInt16(port)) : nil
    }

    /// Ten capital letters and digits, as teams and keys have.
    static func isIdentifier(_ text: String) -> Bool {
        text.utf8.count == 10
            && text.utf8.allSatisfy { byte in
                (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            }
    }

    /// The authorities of the push service, PEM; `nil` for the machine's.
    ///
    /// - Throws: What is wrong with the file.
    func trust() throws(ConfigurationError) -> [UInt8]? {
        guard !trustPath.isEmpty else { return nil }
        do throws(IOError) {
            return try Files.read(trustPath, limit: 1 << 20)
        } catch {
            throw ConfigurationError(problems: ["wallet.push_trust: \(trustPath) cannot be read: \(error.sentence)"])
        }
    }

    /// The key of the team, where one is set.
    ///
    /// - Throws: What is wrong with the file, without its content.
    func key() throws(ConfigurationError) -> ES256PrivateKey? {
        guard !keyPath.isEmpty else { return nil }
        let pem = Secret(try SecretFile.read(keyPath, "wallet.push_key"))
        do throws(CryptographyError) {
            return try ES256PrivateKey(pem: pem)
        } catch {
            throw ConfigurationError(problems: ["wallet.push_key: \(keyPath): \(error.detail)"])
        }
    }

    /// Where pushes go.
    func destination(_ tls: TLSContext) -> HTTP2Destination {
        var destination = HTTP2Destination("push", host: host, port: port, tls: tls)
        destination.pingAfter = pingAfter
        destination.limits.streams = streams
        return destination
    }
}
