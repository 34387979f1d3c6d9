import EventIO
import Primitives
import SimulatorCore
import TLS

extension SimulatedService {
    /// A system that a feature talks to.
    init(_ system: any SimulatedSystem) {
        self.init { _, keys, _ in
            let certificate = try Files.read(keys.certificatePath)
            let key = Secret(try Files.read(keys.keyPath))
            let places = try system.places { protocols in
                try TLSContext(certificatePEM: certificate, keyPEM: key, alpn: protocols)
            }
            return Plan(places: places) { reactor, logger in system.simulator(reactor, logger) }
        }
    }
}
