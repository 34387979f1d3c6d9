import HTTPCore
import Primitives
import ServerCore
import SessionBroker
import Web

/// Ends the sessions whose tokens came without TLS, where anybody between may have read them.
final class PlaintextRevocation: PlaintextGuard {
    private let part: CheckoutPart

    init(_ part: CheckoutPart) { self.part = part }

    func revocation(of request: HTTPRequest) -> (() async -> HTTPStatus)? {
        let tokens = PlaintextTokens(request)
        guard !tokens.isEmpty else { return nil }
        let caller = Exchange(request: request, services: part).caller
        return {
            do throws(Failure) {
                try await self.part.revoke(tokens, by: caller)
                return .forbidden
            } catch {
                self.part.note(error, request)
                return error.code.status
            }
        }
    }
}

extension CheckoutPart {
    /// Revokes the webview sessions of tokens that travelled in clear.
    ///
    /// - Parameters:
    ///   - tokens: Those that were found.
    ///   - caller: Who sent them.
    /// - Throws: `unavailable`, `rate_limited` or `internal_error`.
    fileprivate func revoke(_ tokens: PlaintextTokens, by caller: Caller) async throws(Failure) {
        try await mapErrors { (broker) async throws(StoreError) in
            for ticket in tokens.launch { try await broker.notePlaintext(ticket, by: caller) }
            for token in tokens.tab { try await broker.notePlaintext(token, by: caller) }
            for ticket in tokens.back { try await broker.notePlaintext(ticket, by: caller) }
        }
    }
}

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
