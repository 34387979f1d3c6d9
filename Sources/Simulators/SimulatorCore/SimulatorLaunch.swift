import EventIO
package import HTTPServer
package import Primitives
package import Settings
package import TLS

/// How the command `simulators` runs a system.
package struct SimulatorLaunch: Sendable {
    /// The folder of the demo's keys, with the files of every system.
    package let folder: String
    /// Values of the options that the systems add, by name.
    package let options: [String: String]
    /// Whether it may listen where other machines can reach it.
    package let allowsOthers: Bool
    /// Networks of other machines that may use the control interface.
    package let testers: [NetworkPrefix]
    private let certificate: [UInt8]
    private let key: Secret<[UInt8]>

    /// A launch.
    ///
    /// - Parameters:
    ///   - certificate: Of the development authority for `localhost`, with its chain, PEM.
    ///   - key: Of the certificate, PEM.
    package init(
        folder: String,
        certificate: [UInt8],
        key: Secret<[UInt8]>,
        options: [String: String] = [:],
        allowsOthers: Bool = false,
        testers: [NetworkPrefix] = []
    ) {
        self.folder = folder
        self.certificate = certificate
        self.key = key
        self.options = options
        self.allowsOthers = allowsOthers
        self.testers = testers
    }

    /// The content of a file that the demo has made.
    ///
    /// - Parameter name: Below the folder, such as `app-store/root.pem`.
    /// - Throws: `ConfigurationError` with the file's path, for a folder that an older program has made, or that lost a file.
    package func file(_ name: String) throws(ConfigurationError) -> [UInt8] {
        try SimulatorLaunch.file(name, in: folder)
    }

    /// The content of a file in a demo's folder, as `file`.
    package static func file(_ name: String, in folder: String) throws(ConfigurationError) -> [UInt8] {
        let path = "\(folder)/\(name)"
        do throws(IOError) {
            return try Files.read(path, limit: 65_536)
        } catch {
            let remedy = "remove the folder \(folder), and all of its files are made anew"
            throw ConfigurationError(problems: ["\(path) cannot be read: \(error.sentence); \(remedy)"])
        }
    }

    /// A context with the certificate of the development authority.
    ///
    /// - Parameters:
    ///   - protocols: Of the listener: `http/1.1`, `h2`, or both.
    ///   - clients: Asks clients for a certificate; `nil` asks for none.
    /// - Throws: `TLSError`.
    package func tls(_ protocols: [String], clients: TLSClientTrust? = nil) throws -> TLSContext {
        try TLSContext(certificatePEM: certificate, keyPEM: key, alpn: protocols, clients: clients)
    }
}
