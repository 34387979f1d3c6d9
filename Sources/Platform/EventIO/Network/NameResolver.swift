import Glibc
import Primitives

/// Finds the addresses of hosts, on a thread of its own, as the system's resolver blocks.
///
/// Nothing is kept: each call asks the system. One lookup at a time; few wait.
package final class NameResolver: Sendable {
    private let thread = Lock<WorkerThread?>(nil)
    /// As many lookups wait behind one that hangs; further ones fail.
    private static let most = 8

    /// A resolver whose thread starts with the first name.
    package init() {}

    /// The addresses of a host, best first.
    ///
    /// - Parameter host: A name, or an address without brackets, for which no thread is asked.
    /// - Throws: `NameError`, also for a name that has no address.
    package func addresses(of host: String, port: UInt16) async throws(NameError) -> [SocketAddress] {
        if let address = SocketAddress(host: host) { return [address.with(port: port)] }
        let thread: WorkerThread
        do throws(IOError) { thread = try worker() } catch { throw NameError(description: error.description) }
        guard thread.load < NameResolver.most else { throw NameError(description: "too many lookups wait") }
        return try await thread.run { NameResolver.lookUp(host, port) }.get()
    }

    private func worker() throws(IOError) -> WorkerThread {
        try thread.withLock { thread throws(IOError) in
            if let thread { return thread }
            let started = try WorkerThread(name: "resolve")
            thread = started
            return started
        }
    }

    private static func lookUp(_ host: String, _ port: UInt16) -> Result<[SocketAddress], NameError> {
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        unsafe hints.ai_flags = AI_ADDRCONFIG
        var first: UnsafeMutablePointer<addrinfo>?
        let status = unsafe getaddrinfo(host, nil, &hints, &first)
        guard status == 0 else {
            return .failure(NameError(description: unsafe String(cString: gai_strerror(status))))
        }
        defer { unsafe freeaddrinfo(first) }
        var addresses: [SocketAddress] = []
        var next = unsafe first
        while let entry = unsafe next, addresses.count < NameResolver.most {
            if let address = unsafe SocketAddress(entry.pointee)?.with(port: port), !addresses.contains(address) {
                addresses.append(address)
            }
            unsafe next = entry.pointee.ai_next
        }
        return addresses.isEmpty ? .failure(NameError(description: "no address")) : .success(addresses)
    }
}

/// A host whose addresses could not be found.
package struct NameError: Error, Sendable, CustomStringConvertible {
    /// The resolver's words, for operators.
    package let description: String
}

extension SocketAddress {
    /// The same machine at another port; a Unix path stays as it is.
    func with(port: UInt16) -> SocketAddress {
        switch storage {
        case .v4(let bits, _): SocketAddress(storage: .v4(bits, port: port))
        case .v6(let high, let low, let scope, _):
            SocketAddress(storage: .v6(high: high, low: low, scope: scope, port: port))
        case .path: self
        }
    }

    /// The address of an entry of the system's resolver; `nil` where it is of another kind.
    fileprivate init?(_ entry: addrinfo) {
        let length = Int(unsafe entry.ai_addrlen)
        guard let source = unsafe entry.ai_addr, length <= MemoryLayout<sockaddr_storage>.size else { return nil }
        let (_, address) = unsafe SocketAddress.reading { target, size in
            unsafe UnsafeMutableRawPointer(target).copyMemory(from: source, byteCount: length)
            unsafe size.pointee = socklen_t(length)
        }
        guard let address else { return nil }
        self = address
    }
}
