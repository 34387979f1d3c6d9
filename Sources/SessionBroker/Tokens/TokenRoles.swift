package import Cryptography
package import Primitives

/// Token A: handed to the app at the issue, opens the tab once, then it is only an equality proof.
package typealias LaunchTicket = FlowToken<LaunchRole>

/// Token B: lives in the tab's cookie and nowhere else.
package typealias TabToken = FlowToken<TabRole>

/// Token C: travels in the return link; worth nothing without the app proof, or B for client `browser`.
package typealias ReturnTicket = FlowToken<ReturnRole>

/// The role of token A.
package enum LaunchRole: TokenRole {
    package static var tag: String { "swa_" }
}

/// The role of token B.
package enum TabRole: TokenRole {
    package static var tag: String { "swb_" }
}

/// The role of token C.
package enum ReturnRole: TokenRole {
    package static var tag: String { "swc_" }
}

extension FlowToken where Role == LaunchRole {
    /// A fresh launch ticket.
    ///
    /// - Parameters:
    ///   - flow: The flow it opens.
    ///   - random: Supplies 32 bytes.
    /// - Returns: A ticket that nobody has seen.
    package static func mint(for flow: FlowID, random: any RandomSource) -> LaunchTicket {
        LaunchTicket(flow: flow, secret: random.bytes(FlowTokenShape.secretCount).span)
    }
}

extension FlowToken where Role == TabRole {
    /// A fresh tab token.
    ///
    /// - Parameters:
    ///   - flow: The flow the tab works on.
    ///   - random: Supplies 32 bytes.
    /// - Returns: A token that nobody has seen.
    package static func mint(for flow: FlowID, random: any RandomSource) -> TabToken {
        TabToken(flow: flow, secret: random.bytes(FlowTokenShape.secretCount).span)
    }
}

extension FlowToken where Role == ReturnRole {
    /// The return ticket of a tab: the same for the same tab token, and no way back from it.
    ///
    /// Its secret is HMAC-SHA256 under the 32 secret bytes of the tab token, of `sallyport/return/1` and the flow id.
    ///
    /// - Parameters:
    ///   - tab: The token that the tab holds.
    ///   - mac: A context of the loop.
    /// - Returns: The ticket for the link.
    package static func derive(from tab: TabToken, using mac: HMACSHA256) -> ReturnTicket {
        var message = Array("sallyport/return/1".utf8)
        tab.flow.append(to: &message)
        let secret = mac.tag(of: message.span, key: tab.secret.span).bytes
        return ReturnTicket(flow: tab.flow, secret: secret.span)
    }
}
