package import HTTPClient
package import HTTPCore
import TestKit

// The clients of the tests wait for an answer, however slow the machine: what a late answer means to the program is tested by
// clocks that the tests set.

extension ClientConfiguration {
    /// The defaults, and as long for a connection as for anything else.
    package static var patient: ClientConfiguration {
        var configuration = ClientConfiguration()
        configuration.connectTimeout = Patience.usual
        return configuration
    }
}

extension ClientConfiguration {
    /// The same for a client that believes the authority of a PEM file.
    package static func patient(trusting path: String) -> ClientConfiguration {
        var configuration = ClientConfiguration.patient
        configuration.trust = .file(path: path)
        return configuration
    }
}

extension OutboundRequest {
    /// The same request, which waits for its answer.
    package var patient: OutboundRequest {
        var request = self
        request.timeout = Patience.usual
        return request
    }
}
