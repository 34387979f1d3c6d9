import HTTPCore
import SessionBroker

/// The tokens in a request, wherever they stand: in path, query, any field, or the content.
///
/// They are looked for as they are, and once more behind all layers of percent-encoding: forms, mail gateways and rewriters of
/// links write `swa%5F` for `swa_`, and those that put an address into another one write `swa%255F`.
struct PlaintextTokens: Sendable {
    private(set) var launch: [LaunchTicket] = []
    private(set) var tab: [TabToken] = []
    private(set) var back: [ReturnTicket] = []

    /// Each costs a statement, and an honest request has two or three.
    private static let limit = 4
    /// Looks through a request.
    init(_ request: HTTPRequest) {
        scanLayers(request.head.bytes)
        scanLayers(request.body)
    }

    /// Whether there are none.
    var isEmpty: Bool { launch.isEmpty && tab.isEmpty && back.isEmpty }

    private mutating func scanLayers(_ bytes: [UInt8]) {
        scan(bytes)
        if let inner = PlaintextTokens.decoded(bytes) { scan(inner) }
    }

    /// Bytes without percent-encoding, or `nil` where there is none; what is no escape stays as it is.
    ///
    /// One pass for all layers: what an escape stands for is taken together with what came before it. No token begins or ends
    /// with a part of an escape, so none is lost that only some layers show.
    private static func decoded(_ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.contains(UInt8(ascii: "%")) else { return nil }
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        for byte in bytes {
            decoded.append(byte)
            while decoded.count > 2, decoded[decoded.count - 3] == UInt8(ascii: "%"),
                let high = digit(decoded[decoded.count - 2]), let low = digit(decoded[decoded.count - 1])
            {
                decoded.removeLast(3)
                decoded.append(high << 4 | low)
            }
        }
        return decoded.count == bytes.count ? nil : decoded
    }

    private static func digit(_ character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    private mutating func scan(_ bytes: [UInt8]) {
        let length = LaunchTicket.characterCount
        var start = 0
        while start + length <= bytes.count, launch.count + tab.count + back.count < PlaintextTokens.limit {
            guard bytes[start] == UInt8(ascii: "s"), bytes[start + 1] == UInt8(ascii: "w") else {
                start += 1
                continue
            }
            let candidate = bytes.span.extracting(start..<start + length)
            if let ticket = LaunchTicket.parse(candidate) {
                add(ticket, to: &launch)
            } else if let token = TabToken.parse(candidate) {
                add(token, to: &tab)
            } else if let ticket = ReturnTicket.parse(candidate) {
                add(ticket, to: &back)
            }
            start += 2
        }
    }

    /// What stands there in clear is found again behind each layer.
    private func add<Role>(_ token: WebviewSessionToken<Role>, to tokens: inout [WebviewSessionToken<Role>]) {
        if !tokens.contains(where: { $0.hash == token.hash }) { tokens.append(token) }
    }
}
