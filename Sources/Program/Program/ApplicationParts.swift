package import EventIO
package import Primitives

/// What the program is given beside its configuration.
package struct ApplicationParts: Sendable {
    /// libpq URI of a database with the current schema.
    package var databaseURL: Secret<String>
    /// Certificate of the development authority, PEM, for download; `nil` outside `demo`.
    package var developmentAuthority: [UInt8]?
    /// The service manager that has started the program; `nil` where none listens.
    package var serviceManager: ServiceManager?
    /// Between two rounds of periodic work; `nil` for the usual pauses.
    ///
    /// Tests shorten it.
    package var jobPause: Duration?

    /// Parts.
    ///
    /// - Parameters:
    ///   - databaseURL: libpq URI of a database with the current schema.
    ///   - developmentAuthority: Only in `demo`.
    package init(databaseURL: Secret<String>, developmentAuthority: [UInt8]? = nil) {
        self.databaseURL = databaseURL
        self.developmentAuthority = developmentAuthority
    }
}
