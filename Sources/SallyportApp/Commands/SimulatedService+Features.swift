import EventIO
import Primitives
import SimulatorCore
import TLS

extension SimulatedService {
    /// A system that a feature talks to.
    init(_ system: any SimulatedSystem) {
        self.init { _, keys, _ in
            let context = try TLSContext(
                certificatePEM: try Files.read(keys.certificatePath),
                keyPEM: Secret(try Files.read(keys.keyPath)),
                alpn: ["http/1.1"]
            )
            return Plan(places: system.places(context)) { reactor, logger in system.simulator(reactor, logger) }
        }
    }
}
