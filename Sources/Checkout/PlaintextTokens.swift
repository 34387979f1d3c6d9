import HTTPCore
import SessionBroker

/// The tokens in a request, wherever they stand: in path, query, any field, or the content.
///
/// They are looked for as they are, and once more behind each layer of percent-encoding: forms, mail gateways and rewriters of
/// links write `swa%5F` for `swa_`, and those that put an address into another one write `swa%255F`.
struct PlaintextTokens: Sendable {
    private(set) var launch: [LaunchTicket] = []
    private(set) var tab: [TabToken] = []
    private(set) var back: [ReturnTicket] = []

    /// Each costs a statement, and an honest request has two or three.
    private static let limit = 4
    /// What a form encodes, a gateway again, and a rewriter a third time.
    private static let layers = 3

    /// Looks through a request.
    ///
    /// - Parameter request: Whole.
    init(_ request: HTTPRequest) {
        scanLayers(request.head.bytes)
        scanLayers(request.body)
    }

    /// Whether there are none.
    var isEmpty: Bool { launch.isEmpty && tab.isEmpty && back.isEmpty }

    private mutating func scanLayers(_ bytes: [UInt8]) {
        scan(bytes)
        var bytes = bytes
        for _ in 0..<PlaintextTokens.layers {
            guard let inner = PlaintextTokens.decoded(bytes) else { return }
            scan(inner)
            bytes = inner
        }
    }

    /// Bytes without one layer of percent-encoding, or `nil` where there is none; what is no escape stays as it is.
    private static func decoded(_ bytes: [UInt8]) -> [UInt8]? {
        var decoded: [UInt8] = []
        var start = 0
        while start < bytes.count {
            if bytes[start] == UInt8(ascii: "%"), start + 2 < bytes.count, let high = digit(bytes[start + 1]),
                let low = digit(bytes[start + 2])
            {
                decoded.append(high << 4 | low)
                start += 3
            } else {
                decoded.append(bytes[start])
                start += 1
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
