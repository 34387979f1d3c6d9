import COpenSSL
package import Primitives

/// The keys that protect session tickets; a process has one set, so that a client resumes on any loop.
///
/// Give the same to each new context: a ticket then outlives a change of the certificate.
/// A ticket key opens the traffic of TLS 1.2 sessions that were resumed with it, so keys must not live long. A key
/// makes tickets for two hours, which is as long as a ticket lives, and opens them for two more; then it is forgotten.
/// There is no timer: a handshake that finds the key too old makes a new one.
///
/// Keys come from chance, or are derived from what processes share. Such a key belongs to a period of two hours since 1970, so
/// that the processes change keys together without talking; the key of the period to come opens tickets too, for a process
/// whose clock is ahead.
package final class TLSTicketKeys: Sendable {
    /// Where keys come from.
    private enum Source: Sendable {
        case chance
        case derivation(@Sendable (Int64) -> Secret<[UInt8]>?)
    }

    /// How long a ticket resumes a session, in seconds.
    package static let ticketSeconds = 7200
    /// How many bytes a key takes.
    package static let keyBytes = Key.nameLength + 64

    private let keys: Lock<[Key]>
    private let clock: any WallClock
    private let source: Source

    /// One fresh key, which no other process has.
    ///
    /// - Throws: `settingRefused` when the library has no random bytes to give.
    package init(clock: any WallClock) throws(TLSError) {
        guard let key = Key.fresh(at: clock.now()) else { throw ErrorQueue.error(.settingRefused) }
        keys = Lock([key])
        source = .chance
        self.clock = clock
    }

    /// Keys that every process has which derives them from the same secret.
    ///
    /// - Parameters:
    ///   - derive: Gives the `keyBytes` bytes of a period, the same in each process; `nil` when it has failed, and then no
    ///     handshake succeeds that wants to make a ticket. Any thread may call it.
    package init(clock: any WallClock, derive: @escaping @Sendable (_ period: Int64) -> Secret<[UInt8]>?) {
        keys = Lock([])
        source = .derivation(derive)
        self.clock = clock
    }

    /// The key for new tickets, or `nil` when there is none to be had.
    fileprivate var current: Key? {
        let now = clock.now()
        return keys.withLock { keys in
            update(&keys, now)
            if let key = keys.first(where: { $0.makesTickets(at: now) }) { return key }
            guard case .chance = source, let fresh = Key.fresh(at: now) else { return nil }
            keys.insert(fresh, at: 0)
            return fresh
        }
    }

    /// The key with the given name, and whether it still makes tickets.
    fileprivate func find(name: UnsafeBufferPointer<UInt8>) -> (key: Key, isCurrent: Bool)? {
        let now = clock.now()
        return keys.withLock { keys in
            update(&keys, now)
            guard let key = keys.first(where: { unsafe $0.name.elementsEqual(name) }) else { return nil }
            return (key, key.makesTickets(at: now) || key.birth > now)
        }
    }

    /// Forgets what is too old, and derives what the present wants.
    private func update(_ keys: inout [Key], _ now: WallTime) {
        switch source {
        case .chance:
            keys.removeAll { !$0.opensTickets(at: now) }
        case .derivation(let derive):
            let length = Int64(TLSTicketKeys.ticketSeconds)
            let period = now.seconds / length
            let births = [period, period - 1, period + 1].map { WallTime(seconds: $0 * length) }
            guard keys.map(\.birth) != births else { return }
            keys = births.compactMap { birth in
                derive(birth.seconds / length).flatMap { Key(derived: $0.reveal(), birth: birth) }
            }
        }
    }

    /// Makes a context ask these keys.
    ///
    /// - Parameter context: Must not outlive `self`: it gets a pointer that keeps nothing alive.
    /// - Returns: Whether the library took it.
    func install(in context: OpaquePointer) -> Bool {
        let pointer = unsafe Unmanaged.passUnretained(self).toOpaque()
        return unsafe SSL_CTX_set_ex_data(context, 0, pointer) == 1
            && SSL_CTX_set_tlsext_ticket_key_evp_cb(context, ticketKeyCallback) == 1
    }
}

/// A key of a ticket: what OpenSSL's own ticket protection uses, AES-256-CBC then HMAC-SHA256 (RFC 5077 section 4).
private struct Key: Sendable {
    static let nameLength = 16
    let name: [UInt8]
    let cipherKey: [UInt8]
    let macKey: [UInt8]
    let birth: WallTime

    static func fresh(at now: WallTime) -> Key? {
        guard let name = random(nameLength), let cipherKey = random(32), let macKey = random(32) else { return nil }
        return Key(name: name, cipherKey: cipherKey, macKey: macKey, birth: now)
    }

    /// A key out of derived bytes; `nil` where their number is wrong.
    init?(derived bytes: [UInt8], birth: WallTime) {
        guard bytes.count == TLSTicketKeys.keyBytes else { return nil }
        name = Array(bytes[..<Key.nameLength])
        cipherKey = Array(bytes[Key.nameLength..<Key.nameLength + 32])
        macKey = Array(bytes[(Key.nameLength + 32)...])
        self.birth = birth
    }

    private init(name: [UInt8], cipherKey: [UInt8], macKey: [UInt8], birth: WallTime) {
        (self.name, self.cipherKey, self.macKey, self.birth) = (name, cipherKey, macKey, birth)
    }

    func makesTickets(at now: WallTime) -> Bool { isYounger(than: TLSTicketKeys.ticketSeconds, at: now) }

    func opensTickets(at now: WallTime) -> Bool { isYounger(than: 2 * TLSTicketKeys.ticketSeconds, at: now) }

    /// A key from the future, after the clock was set back, counts as too old.
    private func isYounger(than seconds: Int, at now: WallTime) -> Bool {
        (0..<Int64(seconds)).contains(now.seconds - birth.seconds)
    }

    private static func random(_ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        return unsafe RAND_bytes(&bytes, Int32(count)) == 1 ? bytes : nil
    }

    func authenticate(with context: OpaquePointer?) -> Bool {
        unsafe shim_set_ticket_mac(context, macKey, macKey.count) == 1
    }
}

/// OpenSSL's question for a ticket key.
///
/// Answers: 1, here it is; 2, here it is, and issue a new ticket; 0, unknown; -1, failed.
/// Runs on the thread of the session, inside one of its calls. The context's pointer is alive because every session
/// keeps its `TLSContext`, and that keeps the keys.
private let ticketKeyCallback:
    @convention(c) (
        OpaquePointer?, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<UInt8>?, OpaquePointer?, OpaquePointer?,
        Int32
    ) -> Int32 = { session, name, vector, cipher, mac, isNew in
        guard let name = unsafe name, let vector = unsafe vector,
            let pointer = unsafe SSL_CTX_get_ex_data(SSL_get_SSL_CTX(session), 0)
        else { return -1 }
        let keys = unsafe Unmanaged<TLSTicketKeys>.fromOpaque(pointer).takeUnretainedValue()
        return isNew == 1
            ? unsafe protectTicket(keys, name: name, vector: vector, cipher: cipher, mac: mac)
            : unsafe openTicket(keys, name: name, vector: vector, cipher: cipher, mac: mac)
    }

private func protectTicket(
    _ keys: TLSTicketKeys,
    name: UnsafeMutablePointer<UInt8>,
    vector: UnsafeMutablePointer<UInt8>,
    cipher: OpaquePointer?,
    mac: OpaquePointer?
) -> Int32 {
    guard let key = keys.current, unsafe RAND_bytes(vector, EVP_CIPHER_get_iv_length(EVP_aes_256_cbc())) == 1 else {
        return -1
    }
    for index in key.name.indices { unsafe name[index] = key.name[index] }
    let ready = unsafe EVP_EncryptInit_ex(cipher, EVP_aes_256_cbc(), nil, key.cipherKey, vector) == 1
    return unsafe ready && key.authenticate(with: mac) ? 1 : -1
}

private func openTicket(
    _ keys: TLSTicketKeys,
    name: UnsafeMutablePointer<UInt8>,
    vector: UnsafeMutablePointer<UInt8>,
    cipher: OpaquePointer?,
    mac: OpaquePointer?
) -> Int32 {
    guard let found = unsafe keys.find(name: UnsafeBufferPointer(start: name, count: Key.nameLength)) else { return 0 }
    let ready = unsafe EVP_DecryptInit_ex(cipher, EVP_aes_256_cbc(), nil, found.key.cipherKey, vector) == 1
    guard ready, unsafe found.key.authenticate(with: mac) else { return -1 }
    return found.isCurrent ? 1 : 2
}
