import CLinux
import Glibc

/// Calls on stream sockets; all of them are non-blocking and closed on `exec`.
package enum Socket {
    /// A connection that was accepted.
    package struct Accepted: ~Copyable {
        /// Who has connected.
        package let peer: SocketAddress
        private let descriptor: Descriptor

        init(peer: SocketAddress, descriptor: consuming Descriptor) {
            self.peer = peer
            self.descriptor = descriptor
        }

        /// The connection itself.
        ///
        /// - Returns: The descriptor; the caller owns it.
        package consuming func takeDescriptor() -> Descriptor {
            descriptor
        }
    }

    /// Opens a listening socket.
    ///
    /// - Parameters:
    ///   - address: Port 0 lets the kernel choose; ask `localAddress`. A Unix path must not exist.
    ///   - reusePort: Whether others of this user may listen there too, each with a queue of its own.
    /// - Throws: `IOError`, for example `addressInUse`.
    package static func listen(
        on address: SocketAddress,
        reusePort: Bool = false,
        backlog: Int32 = 1024
    ) throws(IOError) -> Descriptor {
        let descriptor = Descriptor(owning: try systemCall("socket") { clinux_stream_socket(address.family) })
        let raw = descriptor.raw
        if address.family != AF_UNIX {
            try set(raw, SOL_SOCKET, SO_REUSEADDR, 1)
            if reusePort { try set(raw, SOL_SOCKET, SO_REUSEPORT, 1) }
        }
        _ = try unsafe address.withKernelForm { pointer, length throws(IOError) in
            try systemCall("bind") { unsafe Glibc.bind(raw, pointer, length) }
        }
        try systemCall("listen") { Glibc.listen(raw, backlog) }
        return descriptor
    }

    /// Takes one waiting connection.
    ///
    /// One that its peer has given up already is skipped.
    ///
    /// - Parameter listener: From `listen`.
    /// - Returns: The connection, or `nil` when none waits.
    /// - Throws: `IOError`; where no descriptor is left, a level-triggered listener would spin.
    package static func accept(_ listener: borrowing Descriptor) throws(IOError) -> Accepted? {
        let raw = listener.raw
        while true {
            let (result, peer) = unsafe SocketAddress.reading { unsafe clinux_accept(raw, $0, $1) }
            if result >= 0 {
                let descriptor = Descriptor(owning: result)
                guard let peer else { continue }
                return Accepted(peer: peer, descriptor: descriptor)
            }
            switch errno {
            case EAGAIN: return nil
            case EINTR, ECONNABORTED, EPROTO: continue
            case let code: throw IOError(code: code, operation: "accept4")
            }
        }
    }

    /// Starts to connect.
    ///
    /// - Returns: A socket that is connected or becomes writable when it is; then ask `connectionError`.
    /// - Throws: `IOError` when it fails at once.
    package static func connect(to address: SocketAddress) throws(IOError) -> Descriptor {
        let descriptor = Descriptor(owning: try systemCall("socket") { clinux_stream_socket(address.family) })
        let raw = descriptor.raw
        let status = unsafe address.withKernelForm { unsafe Glibc.connect(raw, $0, $1) }
        if status < 0 {
            let code = errno
            // An interrupted connect goes on in the background, as one in progress does.
            guard code == EINPROGRESS || code == EINTR else { throw IOError(code: code, operation: "connect") }
        }
        return descriptor
    }

    /// How a connect ended.
    ///
    /// - Parameter socket: From `connect`, after it became writable.
    /// - Returns: The failure, or `nil` when it is connected.
    /// - Throws: `IOError` when the kernel does not answer.
    package static func connectionError(_ socket: borrowing Descriptor) throws(IOError) -> IOError? {
        let raw = socket.raw
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        try systemCall("getsockopt") { unsafe getsockopt(raw, SOL_SOCKET, SO_ERROR, &code, &length) }
        return code == 0 ? nil : IOError(code: code, operation: "connect")
    }

    /// Reads once into a buffer.
    ///
    /// - Parameters:
    ///   - buffer: Filled from its start; must have room, because zero bytes read as the end.
    /// - Returns: How many bytes; zero is the end of the stream.
    /// - Throws: `IOError`, for example `connectionReset`.
    package static func receive(
        _ socket: borrowing Descriptor,
        into buffer: inout MutableSpan<UInt8>
    ) throws(IOError) -> IOResult {
        let raw = socket.raw
        return try unsafe buffer.withUnsafeMutableBufferPointer { target throws(IOError) in
            try transfer("recv") { unsafe recv(raw, target.baseAddress, target.count, 0) }
        }
    }

    /// Reads once and appends what came.
    ///
    /// - Parameters:
    ///   - limit: The most to read, at least 1.
    /// - Returns: How many bytes; zero is the end of the stream.
    /// - Throws: `IOError`, for example `connectionReset`.
    package static func receive(
        _ socket: borrowing Descriptor,
        appendingTo buffer: inout [UInt8],
        limit: Int
    ) throws(IOError) -> IOResult {
        let raw = socket.raw
        var result = IOResult.wouldBlock
        try buffer.append(addingCapacity: max(1, limit)) { span throws(IOError) in
            result = try unsafe span.withUnsafeMutableBufferPointer { target, count throws(IOError) in
                let result = try transfer("recv") { unsafe recv(raw, target.baseAddress, target.count, 0) }
                if case .done(let got) = result { count = got }
                return result
            }
        }
        return result
    }

    /// Writes once; never raises SIGPIPE.
    ///
    /// - Returns: How many bytes the kernel has taken, perhaps fewer than all.
    /// - Throws: `IOError`, for example `brokenPipe` or `connectionReset`.
    package static func send(_ socket: borrowing Descriptor, _ bytes: Span<UInt8>) throws(IOError) -> IOResult {
        let raw = socket.raw
        return try unsafe bytes.withUnsafeBufferPointer { source throws(IOError) in
            try transfer("send") { unsafe clinux_send(raw, source.baseAddress, source.count) }
        }
    }

    /// Writes two runs of bytes with one call; never raises SIGPIPE.
    ///
    /// - Parameters:
    ///   - first: What to send first.
    ///   - second: What to send behind it.
    /// - Returns: How many bytes of both together the kernel has taken.
    /// - Throws: `IOError`, for example `brokenPipe` or `connectionReset`.
    package static func send(
        _ socket: borrowing Descriptor,
        _ first: Span<UInt8>,
        _ second: Span<UInt8>
    ) throws(IOError) -> IOResult {
        let raw = socket.raw
        return try unsafe first.withUnsafeBufferPointer { head throws(IOError) in
            try unsafe second.withUnsafeBufferPointer { tail throws(IOError) in
                try transfer("sendmsg") {
                    unsafe clinux_send_two(raw, head.baseAddress, head.count, tail.baseAddress, tail.count)
                }
            }
        }
    }
}

// MARK: Options

extension Socket {
    /// The address a socket is bound to.
    ///
    /// - Returns: With the port that the kernel has chosen.
    /// - Throws: `IOError`.
    package static func localAddress(_ socket: borrowing Descriptor) throws(IOError) -> SocketAddress {
        let raw = socket.raw
        let (status, address) = unsafe SocketAddress.reading { unsafe getsockname(raw, $0, $1) }
        guard status == 0, let address else { throw IOError(code: errno, operation: "getsockname") }
        return address
    }

    /// Sends small writes at once instead of waiting for an acknowledgement.
    ///
    /// - Throws: `IOError`.
    package static func setNoDelay(_ socket: borrowing Descriptor) throws(IOError) {
        try set(socket.raw, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
    }

    /// Makes the next close throw the connection away with a reset.
    ///
    /// - Throws: `IOError`.
    package static func setResetOnClose(_ socket: borrowing Descriptor) throws(IOError) {
        let raw = socket.raw
        var value = linger(l_onoff: 1, l_linger: 0)
        let size = socklen_t(MemoryLayout<linger>.size)
        try systemCall("setsockopt") { unsafe setsockopt(raw, SOL_SOCKET, SO_LINGER, &value, size) }
    }

    /// Shuts the sending half down; reading goes on.
    ///
    /// - Throws: `IOError`, when the peer is gone already for example.
    package static func shutDownWriting(_ socket: borrowing Descriptor) throws(IOError) {
        let raw = socket.raw
        try systemCall("shutdown") { shutdown(raw, Int32(SHUT_WR)) }
    }

    private static func set(_ raw: Int32, _ level: Int32, _ name: Int32, _ value: Int32) throws(IOError) {
        var value = value
        let size = socklen_t(MemoryLayout<Int32>.size)
        try systemCall("setsockopt") { unsafe setsockopt(raw, level, name, &value, size) }
    }
}
