package import Primitives

/// How requests go out.
///
/// Certificates are always verified, redirects are never followed, proxies and cookies are not used.
package struct ClientConfiguration: Sendable {
    /// Whose certificates are believed.
    package enum Trust: Sendable, Equatable {
        /// The authorities of the machine.
        case system
        /// Only the authorities in a PEM file, for example the one of the development authority.
        case file(path: String)
    }

    /// What is spoken.
    package enum Version: String, Sendable, CaseIterable {
        /// HTTP/1.1, one exchange at a time on a connection.
        case http1 = "HTTP/1.1"
        /// HTTP/2 where a peer offers it under TLS, many exchanges on one connection.
        case http2 = "HTTP/2"
    }

    /// Where requests without TLS may go.
    package enum ClearText: Sendable {
        /// To this machine alone.
        case thisMachine
        /// Anywhere: for content that is signed itself, such as revocation lists.
        case anyMachine
    }

    /// Which machines connections may go to, whatever a name resolves to: never to special addresses such as those at which
    /// clouds hand out credentials.
    package enum Reach: Sendable {
        /// This machine too.
        case everyMachine
        /// Other machines, also those of private networks.
        case otherMachines
        /// Machines with public addresses.
        case publicMachines
    }

    /// Whose certificates are believed.
    package var trust = Trust.system
    /// What is spoken.
    package var version = Version.http1
    /// Where requests without TLS may go.
    package var clearText = ClearText.thisMachine
    /// Which machines connections may go to.
    package var reach = Reach.everyMachine
    /// For the name lookup, the connection and its handshake together: a healthy peer needs a tenth of it.
    package var connectTimeout = Duration.seconds(3)
    /// The most bytes of a response's content; a session document has a few thousand.
    package var bodyLimit = 1 << 20
    /// How long the content of a response that counts by its status line is read, so that the connection can be used again.
    package var dropLimit = Duration.seconds(1)
    /// The most bytes of a response's field lines.
    package var headerLimit = 64 << 10
    /// How many exchanges may run at once; further ones fail at once with nothing sent.
    package var concurrencyLimit = 256
    /// How many idle connections are kept.
    package var idleConnections = 16
    /// How long a connection may be idle and still be used again; shorter than the peers' own limit of 60 s and more.
    package var idleLimit = Duration.seconds(50)
    /// How long a connection is used at all, so that changes of the peer's addresses are followed.
    package var lifeLimit = Duration.seconds(600)

    /// The defaults.
    package init() {}
}

extension ClientConfiguration.Reach {
    /// Whether connections may go to an address.
    package func includes(_ address: IPNumber) -> Bool {
        switch (self, address.special) {
        case (.everyMachine, nil), (.everyMachine, .loopback), (.otherMachines, nil): true
        case (.publicMachines, nil): !address.isPrivate
        case (_, .metadata), (_, .nobody), (.otherMachines, .loopback), (.publicMachines, .loopback): false
        }
    }
}
