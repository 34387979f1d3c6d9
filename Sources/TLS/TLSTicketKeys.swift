import COpenSSL
package import Primitives

/// The keys that protect session tickets; a process has one set, so that a client resumes on any loop.
///
/// Give the same to each new context: a ticket then outlives a change of the certificate.
/// A ticket key opens the traffic of TLS 1.2 sessions that were resumed with it, so keys must not live long. A key
/// makes tickets for two hours, which is as long as a ticket lives, and opens them for two more; then it is forgotten.
/// There is no timer: a handshake that finds the key too old makes a new one.
package final class TLSTicketKeys: Sendable {
    /// How long a ticket resumes a session, in seconds.
    static let ticketSeconds = 7200

    private let keys: Lock<[Key]>
    private let clock: any WallClock

    /// One fresh key.
    ///
    /// - Parameter clock: Tells the age of keys.
    /// - Throws: `settingRefused` when the library has no random bytes to give.
    package init(clock: any WallClock) throws(TLSError) {
        guard let key = Key.fresh(at: clock.now()) else { throw ErrorQueue.error(.settingRefused) }
        keys = Lock([key])
        self.clock = clock
    }

    /// The key for new tickets, or `nil` when the old one is too old and the library has no random bytes.
    fileprivate var current: Key? {
        let now = clock.now()
        return keys.withLock { keys in
            TLSTicketKeys.forget(&keys, now)
            if let first = keys.first, first.makesTickets(at: now) { return first }
            guard let fresh = Key.fresh(at: now) else { return nil }
            keys.insert(fresh, at: 0)
            return fresh
        }
    }

    /// The key with the given name, and whether it still makes tickets.
    fileprivate func find(name: UnsafeBufferPointer<UInt8>) -> (key: Key, isCurrent: Bool)? {
        let now = clock.now()
        return keys.withLock { keys in
            TLSTicketKeys.forget(&keys, now)
            guard let key = keys.first(where: { unsafe $0.name.elementsEqual(name) }) else { return nil }
            return (key, key.makesTickets(at: now))
        }
    }

    private static func forget(_ keys: inout [Key], _ now: WallTime) {
        keys.removeAll { !$0.opensTickets(at: now) }
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
