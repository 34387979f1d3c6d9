import EventIO
import Primitives

/// No port is given twice, and none of the same 32.
private let given = Lock<Set<UInt16>>([])

/// Finds a free port of loopback, for a process that takes its port as a setting.
///
/// Outside the range from which the kernel takes the ports of everybody who asks for any: it would hand a port out again
/// before the process has begun. Nobody else is given one of the 32 around it: a demo takes some beside that of its simulator.
package func freePort() throws -> UInt16 {
    for _ in 0..<100 {
        let port = UInt16.random(in: 20_000..<32_000)
        guard given.withLock({ $0.insert(port / 32).inserted }) else { continue }
        do throws(IOError) {
            _ = try Socket.listen(on: SocketAddress(v4: 0x7F00_0001, port: port), reusePort: false)
            return port
        } catch {
            guard error.code == IOError.addressInUse else { throw error }
        }
    }
    throw ProgramFailure("no port is free")
}
