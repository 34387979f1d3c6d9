import Commerce
import Cryptography
import Primitives

/// Seals private details under the return ticket, so that the database alone cannot open them.
///
/// AES-256-GCM; the key is HKDF-SHA256 of the whole ticket with the flow id as salt, and the flow id is authenticated: a sealed
/// value moved to another row does not open.
enum PrivateSeal {
    private static let purpose = Array("sallyport/private/1".utf8)

    static func seal(
        _ details: PrivateDetails,
        under ticket: ReturnTicket,
        random: any RandomSource
    ) throws(BrokerError) -> [UInt8] {
        do {
            let key = try key(of: ticket)
            return try AES256GCM.seal(details.bytes, key: key, context: ticket.flow.bytes, random: random)
        } catch {
            throw BrokerError(.fault, "sealing: \(error)")
        }
    }

    static func open(_ sealed: [UInt8], under ticket: ReturnTicket) throws(BrokerError) -> PrivateDetails {
        do {
            let key = try key(of: ticket)
            return try PrivateDetails(stored: AES256GCM.open(sealed, key: key, context: ticket.flow.bytes))
        } catch {
            throw BrokerError(.fault, "opening sealed details of \(ticket.flow): \(error)")
        }
    }

    private static func key(of ticket: ReturnTicket) throws(CryptographyError) -> Secret<[UInt8]> {
        try HKDFSHA256.derive(
            from: Array(ticket.text.utf8),
            salt: ticket.flow.bytes,
            info: purpose,
            count: AES256GCM.keyByteCount
        )
    }
}
