package import Cryptography
package import HTTPCore
package import Primitives

extension HTTPRequest {
    /// Where the request comes from, as far as an audit trail may remember it.
    ///
    /// - Parameter hasher: Of the loop; digests the user agent.
    package func caller(_ hasher: SHA256) -> Caller {
        var agent: Digest32?
        forEachValue(.userAgent) { if agent == nil { agent = hasher.digest(of: $0) } }
        return Caller(keys: peer.keys, agent: agent ?? noAgent, serialNumber: serialNumber) { room in
            peer.appendTruncated(to: &room)
        }
    }
}

private let noAgent = SHA256.digest(of: [])
