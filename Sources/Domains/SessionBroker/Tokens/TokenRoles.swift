import Commerce
package import Cryptography
package import Primitives

/// Token A: handed to the app at the issue, opens the tab once, then it is only an equality proof.
package typealias LaunchTicket = WebviewSessionToken<LaunchRole>

/// Token B: lives in the tab's cookie and nowhere else.
package typealias TabToken = WebviewSessionToken<TabRole>

/// Token C: travels in the return link; worth nothing without the app proof, or B for client `browser`.
package typealias ReturnTicket = WebviewSessionToken<ReturnRole>

/// The role of token A.
package enum LaunchRole: TokenRole {
    package static var letter: UInt8 { UInt8(ascii: "a") }
}

/// The role of token B.
package enum TabRole: TokenRole {
    package static var letter: UInt8 { UInt8(ascii: "b") }
}

/// The role of token C.
package enum ReturnRole: TokenRole {
    package static var letter: UInt8 { UInt8(ascii: "c") }
}

extension WebviewSessionToken where Role == LaunchRole {
    /// A fresh launch ticket.
    ///
    /// - Parameters:
    ///   - random: Supplies 32 bytes.
    /// - Returns: A ticket that nobody has seen.
    package static func mint(for webviewSession: WebviewSessionID, random: any RandomSource) -> LaunchTicket {
        LaunchTicket(webviewSession: webviewSession, secret: TokenSecret(random: random))
    }
}

extension WebviewSessionToken where Role == TabRole {
    /// A fresh tab token.
    ///
    /// - Parameters:
    ///   - webviewSession: The webview session the tab works on.
    ///   - random: Supplies 32 bytes.
    /// - Returns: A token that nobody has seen.
    package static func mint(for webviewSession: WebviewSessionID, random: any RandomSource) -> TabToken {
        TabToken(webviewSession: webviewSession, secret: TokenSecret(random: random))
    }
}

extension WebviewSessionToken where Role == ReturnRole {
    /// The return ticket of a tab: the same for the same tab token, and no way back from it.
    ///
    /// Its secret is HMAC-SHA256 under the 32 secret bytes of the tab token, of `sallyport/return/1` and the webview session
    /// id.
    ///
    /// - Returns: The ticket for the link.
    package static func derive(from tab: TabToken, using mac: HMACSHA256) -> ReturnTicket {
        let message = InlineArray<34, UInt8>(initializingWith: { room in
            room.append(copying: purpose.span)
            tab.webviewSession.append(to: &room)
        })
        let key = tab.secret.bytes
        return ReturnTicket(webviewSession: tab.webviewSession, tag: mac.tag(of: message.span, key: key.span))
    }

    /// The return ticket of a webview session without a tab: what the two halves bring, and no way back to either.
    ///
    /// Its secret is HMAC-SHA256 under the 32 secret bytes of the proof, of `sallyport/arrival/1`, the webview session id and
    /// the session. Nobody is handed it: the holder of both halves computes it again.
    ///
    /// - Parameters:
    ///   - session: The checkout session, from the link into the app.
    ///   - webviewSession: The webview session both are for.
    package static func derive(
        from proof: AppProof,
        and session: String,
        of webviewSession: WebviewSessionID,
        using mac: HMACSHA256
    ) -> ReturnTicket {
        let message = Array("sallyport/arrival/1".utf8) + webviewSession.bytes + Array(session.utf8)
        return ReturnTicket(webviewSession: webviewSession, tag: proof.tag(of: message, using: mac))
    }

    /// Stands for what a confirm page shows: the same for the same content, and nothing to test a guess at an address by.
    ///
    /// - Parameters:
    ///   - session: What the page is made of, besides the order, which is fixed.
    /// - Returns: HMAC-SHA256 under the 32 secret bytes, of `sallyport/shown/1`, the webview session id, checkout session,
    ///   postage and details.
    package func mark(of session: ReviewedSession, using mac: HMACSHA256) -> Digest32 {
        let words = "\(session.orderReference) \(session.postage?.digits ?? "-") "
        let message = Array("sallyport/shown/1".utf8) + webviewSession.bytes + Array(words.utf8) + session.details.bytes
        let key = secret.bytes
        return mac.tag(of: message.span, key: key.span)
    }

    private init(webviewSession: WebviewSessionID, tag: Digest32) {
        let bytes = InlineArray<32, UInt8>(initializingWith: { room in tag.append(to: &room) })
        guard let secret = TokenSecret(bytes.span) else { preconditionFailure("a tag has as many bytes as a secret") }
        self.init(webviewSession: webviewSession, secret: secret)
    }
}

/// Binds the derivation of return tickets to its use; 18 bytes.
private let purpose = Array("sallyport/return/1".utf8)
