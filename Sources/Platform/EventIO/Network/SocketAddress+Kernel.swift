import Glibc

extension SocketAddress {
    /// The kernel's number for the kind of address.
    var family: Int32 {
        switch storage {
        case .v4: AF_INET
        case .v6: AF_INET6
        case .path: AF_UNIX
        }
    }

    /// Calls a body with the address in the kernel's form.
    func withKernelForm<Result, Failure: Error>(
        _ body: (UnsafePointer<sockaddr>, socklen_t) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var storage = sockaddr_storage()
        let length = fill(&storage)
        return try unsafe withUnsafePointer(to: &storage) { pointer throws(Failure) in
            try unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address throws(Failure) in
                try unsafe body(address, length)
            }
        }
    }

    private func fill(_ target: inout sockaddr_storage) -> socklen_t {
        unsafe withUnsafeMutableBytes(of: &target) { bytes in
            switch storage {
            case .v4(let bits, let port):
                var address = sockaddr_in()
                address.sin_family = sa_family_t(AF_INET)
                address.sin_port = port.bigEndian
                address.sin_addr.s_addr = bits.bigEndian
                unsafe bytes.storeBytes(of: address, as: sockaddr_in.self)
                return socklen_t(MemoryLayout<sockaddr_in>.size)
            case .v6(let high, let low, let scope, let port):
                var address = sockaddr_in6()
                address.sin6_family = sa_family_t(AF_INET6)
                address.sin6_port = port.bigEndian
                address.sin6_scope_id = scope
                unsafe withUnsafeMutableBytes(of: &address.sin6_addr) { target in
                    unsafe target.storeBytes(of: high.bigEndian, toByteOffset: 0, as: UInt64.self)
                    unsafe target.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
                }
                unsafe bytes.storeBytes(of: address, as: sockaddr_in6.self)
                return socklen_t(MemoryLayout<sockaddr_in6>.size)
            case .path(let path):
                unsafe bytes.storeBytes(of: sa_family_t(AF_UNIX), as: sa_family_t.self)
                let start = MemoryLayout<sa_family_t>.size
                // The initialiser has checked the length; the structure is zero behind the path.
                for (index, byte) in path.utf8.enumerated() { unsafe bytes[start + index] = byte }
                return socklen_t(start + path.utf8.count + 1)
            }
        }
    }

    /// Asks a call for an address.
    ///
    /// - Parameter call: Fills the structure and its length; -1 for failure.
    /// - Returns: What the call returned, and the address, or `nil` where the kernel gave none of the known kinds.
    static func reading<Result>(
        _ call: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Result
    ) -> (Result, SocketAddress?) {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe call($0, &length) }
        }
        return (result, SocketAddress(storage, length: Int(length)))
    }

    private init?(_ source: sockaddr_storage, length: Int) {
        let parsed: Storage? = unsafe withUnsafeBytes(of: source) { bytes in
            switch Int32(source.ss_family) {
            case AF_INET:
                let address = unsafe bytes.load(as: sockaddr_in.self)
                return .v4(UInt32(bigEndian: address.sin_addr.s_addr), port: UInt16(bigEndian: address.sin_port))
            case AF_INET6:
                let address = unsafe bytes.load(as: sockaddr_in6.self)
                let halves = unsafe withUnsafeBytes(of: address.sin6_addr) { raw in
                    unsafe (raw.load(as: UInt64.self), raw.load(fromByteOffset: 8, as: UInt64.self))
                }
                return .v6(
                    high: UInt64(bigEndian: halves.0),
                    low: UInt64(bigEndian: halves.1),
                    scope: address.sin6_scope_id,
                    port: UInt16(bigEndian: address.sin6_port)
                )
            case AF_UNIX:
                let start = MemoryLayout<sa_family_t>.size
                let end = min(max(start, length), bytes.count)
                let name = unsafe bytes[start..<end].prefix { $0 != 0 }
                return .path(unsafe String(decoding: name, as: UTF8.self))
            default:
                return nil
            }
        }
        guard let parsed else { return nil }
        self.init(storage: parsed)
    }
}
