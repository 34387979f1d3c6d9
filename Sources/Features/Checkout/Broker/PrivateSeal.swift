import Commerce
import Cryptography
import Primitives
import SessionBroker

/// Seals private details under the return ticket, so that the database alone cannot open them.
///
/// AES-256-GCM; the key is HKDF-SHA256 of the whole ticket with the webview session id as salt, and the webview session id is
/// authenticated: a sealed value moved to another row does not open. The keyring has no part in it: only who shows the ticket can
/// open the details.
final class PrivateSeal {
    private static let purpose = Array("sallyport/private/1".utf8)

    private let cipher: AES256GCM
    private let mac: HMACSHA256

    /// A seal that shares a context with others of its loop.
    init(mac: HMACSHA256) throws(CryptographyError) {
        cipher = try AES256GCM()
        self.mac = mac
    }

    func seal(
        _ details: PrivateDetails,
        under ticket: ReturnTicket,
        random: any RandomSource
    ) throws(StoreError) -> [UInt8] {
        let context = PrivateSeal.context(of: ticket)
        do {
            return try cipher.seal(details.bytes, key: key(of: ticket), context: context.span, random: random)
        } catch {
            throw StoreError(.fault, "sealing: \(error)")
        }
    }

    func open(_ sealed: [UInt8], under ticket: ReturnTicket) throws(StoreError) -> PrivateDetails {
        let context = PrivateSeal.context(of: ticket)
        do {
            return try PrivateDetails(stored: cipher.open(sealed.span, key: key(of: ticket), context: context.span))
        } catch {
            throw StoreError(.fault, "opening sealed details of \(ticket.webviewSession): \(error)")
        }
    }

    private func key(of ticket: ReturnTicket) throws(CryptographyError) -> Secret<[UInt8]> {
        let secret = InlineArray<68, UInt8>(initializingWith: { room in ticket.append(to: &room) })
        let salt = PrivateSeal.context(of: ticket)
        return try HKDFSHA256.derive(
            from: secret.span,
            salt: salt.span,
            info: PrivateSeal.purpose,
            count: AES256GCM.keyByteCount,
            using: mac
        )
    }

    private static func context(of ticket: ReturnTicket) -> InlineArray<16, UInt8> {
        InlineArray(initializingWith: { room in ticket.webviewSession.append(to: &room) })
    }
}
