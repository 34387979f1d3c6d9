import EventIO
import Glibc

/// A Unix socket that takes datagrams in, as a service manager has one; at a path, or under an abstract name that begins with `@`.
final class DatagramSocket {
    /// As `NOTIFY_SOCKET` writes it.
    let name: String
    private let descriptor: Descriptor

    /// Listens.
    ///
    /// - Parameter name: A path that is not there yet, or an abstract name; at most 107 bytes.
    /// - Throws: `IOError`.
    init(_ name: String) throws(IOError) {
        self.name = name
        let raw = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard raw >= 0 else { throw IOError(code: errno, operation: "socket") }
        descriptor = Descriptor(owning: raw)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let isAbstract = name.hasPrefix("@")
        let bytes = isAbstract ? [0] + Array(name.utf8.dropFirst()) : Array(name.utf8)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        let length = MemoryLayout<sa_family_t>.size + bytes.count + (isAbstract ? 0 : 1)
        let status = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe bind(raw, $0, socklen_t(length)) }
        }
        guard status == 0 else { throw IOError(code: errno, operation: "bind") }
    }

    /// The next datagram as text; `nil` when none waits.
    func receive() -> String? {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe recv(descriptor.raw, $0.baseAddress, $0.count, 0) }
        return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}
