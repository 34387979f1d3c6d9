import Cryptography
import EventIO
import HTTPCore
import HTTPServer
import Primitives
import Settings
import TLS

// What the configuration means for listeners and connections.

extension Configuration {
    /// The certificates of both hosts, read anew at every call; `nil` without a TLS listener.
    ///
    /// - Parameter tickets: The process's, so that a reload ends no session.
    /// - Returns: A context for connections from now on, and until when what it shows is valid.
    /// - Throws: What is wrong with the files.
    func certificates(_ tickets: TLSTicketKeys) throws(ConfigurationError) -> ServedCertificates? {
        guard listeners.tls != nil else { return nil }
        var files = [
            IdentityFiles(listeners.certificatePath, listeners.keyPath, settings: ("tls.certificate", "tls.key"))
        ]
        if !listeners.secondCertificatePath.isEmpty || !listeners.secondKeyPath.isEmpty {
            let paths = (listeners.secondCertificatePath, listeners.secondKeyPath)
            files.append(IdentityFiles(paths.0, paths.1, settings: ("tls.second_certificate", "tls.second_key")))
        }
        var identities: [TLSIdentity] = []
        for file in files { identities.append(try identity(file)) }
        let names = ServerConfiguration.protocolNames(withHTTP2: http2.isOffered)
        let context: TLSContext
        do throws(TLSError) {
            context = try TLSContext(identities: identities, alpn: names, ticketKeys: tickets)
        } catch {
            throw ConfigurationError(problems: [Configuration.problem(error, files, identities)])
        }
        let ends = zip(files, identities).compactMap { file, identity in
            (try? CertificateFacts(pem: identity.certificatePEM)).map {
                (setting: file.certificateSetting, end: $0.notAfter)
            }
        }
        return ServedCertificates(context: context, ends: ends)
    }

    /// The files of a certificate and its key, and the settings that name them.
    private struct IdentityFiles {
        let certificate: String
        let key: String
        let certificateSetting: String
        let keySetting: String

        init(_ certificate: String, _ key: String, settings: (certificate: String, key: String)) {
            self.certificate = certificate
            self.key = key
            certificateSetting = settings.certificate
            keySetting = settings.key
        }
    }

    private func identity(_ files: IdentityFiles) throws(ConfigurationError) -> TLSIdentity {
        let bytes = try read(files.certificate, files.certificateSetting)
        return TLSIdentity(certificatePEM: bytes, keyPEM: Secret(try readSecret(files.key, files.keySetting)))
    }

    /// Which of the files is to blame, and what it should be.
    private static func problem(
        _ error: TLSError,
        _ files: [IdentityFiles],
        _ identities: [TLSIdentity]
    ) -> String {
        for (file, identity) in zip(files, identities) {
            do throws(TLSError) {
                _ = try TLSContext(identities: [identity], alpn: [])
            } catch {
                return problem(error, file)
            }
        }
        guard files.count == 2, error.code == .settingRefused else { return "tls: \(error.debugDescription)" }
        return "\(files[1].certificateSetting): \(files[1].certificate) has a key of the same kind as "
            + "\(files[0].certificate): one has to be for P-256, the other for RSA"
    }

    private static func problem(_ error: TLSError, _ file: IdentityFiles) -> String {
        switch error.code {
        case .certificateUnreadable:
            "\(file.certificateSetting): \(file.certificate) is not a certificate in PEM with its chain behind it"
        case .keyUnreadable: "\(file.keySetting): \(file.key) is not a private key in PEM without a passphrase"
        case .keyMismatch:
            "\(file.keySetting): \(file.key) is not the key of the first certificate in \(file.certificate)"
        default: "\(file.certificateSetting): \(error.debugDescription)"
        }
    }

    /// The keys of session tickets: of this process alone, or shared where there is a secret for them.
    ///
    /// - Returns: One set for all contexts of the process.
    /// - Throws: What is wrong with the secret's file.
    func ticketKeys() throws(ConfigurationError) -> TLSTicketKeys {
        do throws(TLSError) {
            if listeners.ticketSecretPath.isEmpty { return try TLSTicketKeys(clock: SystemClock()) }
        } catch {
            throw ConfigurationError(problems: ["tls: \(error.debugDescription)"])
        }
        let secret = Secret(try readSecret(listeners.ticketSecretPath, "tls.ticket_secret"))
        guard secret.reveal().count >= 32 else {
            throw ConfigurationError(problems: ["tls.ticket_secret: fewer than 32 bytes"])
        }
        return TLSTicketKeys(clock: SystemClock()) { Configuration.ticketKey(of: $0, from: secret) }
    }

    /// The key of one period, by HKDF.
    static func ticketKey(of period: Int64, from secret: Secret<[UInt8]>) -> Secret<[UInt8]>? {
        let salt = Array("sallyport tls tickets 1".utf8)
        let info = (0..<8).map { UInt8(truncatingIfNeeded: period >> Int64(56 - 8 * $0)) }
        let bytes = secret.reveal()
        do {
            return try HKDFSHA256.derive(
                from: bytes.span,
                salt: salt.span,
                info: info,
                count: TLSTicketKeys.keyBytes,
                using: HMACSHA256()
            )
        } catch {
            return nil
        }
    }

    /// The public listeners.
    ///
    /// - Parameter errorFields: On answers to requests that never reach a handler.
    /// - Throws: `ConfigurationError` for a proxy that is no address.
    func publicServer(errorFields: FieldBlock) throws(ConfigurationError) -> ServerConfiguration {
        var addresses: [ServerConfiguration.Listener] = []
        if let address = listeners.tls { addresses.append(ServerConfiguration.Listener(address, .tls)) }
        if let address = listeners.clear { addresses.append(ServerConfiguration.Listener(address, .clear)) }
        var server = ServerConfiguration(name: "public", listeners: addresses)
        server.limits = limits.server
        http2.apply(to: &server)
        server.drainDeadline = limits.drain
        server.errorFields = errorFields
        server.trustedProxies = try proxies()
        return server
    }

    private func proxies() throws(ConfigurationError) -> [NetworkPrefix] {
        var proxies: [NetworkPrefix] = []
        for text in listeners.trustedProxies {
            guard let prefix = NetworkPrefix(text) else {
                throw ConfigurationError(problems: ["trusted_proxies: \(text) is no address or network"])
            }
            proxies.append(prefix)
        }
        return proxies
    }

    /// The listener that only says where https is; without listeners where there is none.
    ///
    /// - Parameter errorFields: On answers to requests that never reach a handler.
    /// - Returns: At most one listener, with the limits of the public ones.
    func redirectServer(errorFields: FieldBlock) -> ServerConfiguration {
        let addresses = listeners.redirect.map { [ServerConfiguration.Listener($0, .clear)] } ?? []
        var server = ServerConfiguration(name: "redirect", listeners: addresses)
        server.limits = limits.server
        server.errorFields = errorFields
        server.drainDeadline = .seconds(1)
        return server
    }

    /// The administration listener; without listeners where there is none.
    ///
    /// - Parameter errorFields: On answers to requests that never reach a handler.
    /// - Returns: At most one listener.
    /// - Throws: `ConfigurationError` for a proxy that is no address.
    func adminServer(errorFields: FieldBlock) throws(ConfigurationError) -> ServerConfiguration {
        let addresses = listeners.admin.map { [ServerConfiguration.Listener($0, .clear)] } ?? []
        var server = ServerConfiguration(name: "admin", listeners: addresses)
        server.errorFields = errorFields
        server.drainDeadline = .seconds(1)
        server.trustedProxies = try proxies()
        return server
    }

    /// The token that the administration listener asks for, read anew at every call.
    ///
    /// - Returns: The file without the end of its line, or `nil` where none is set.
    /// - Throws: What is wrong with the file, without its content.
    func adminToken() throws(ConfigurationError) -> Secret<[UInt8]>? {
        let path = listeners.adminTokenPath
        guard !path.isEmpty else { return nil }
        let token = try SecretFile.line(path, "admin.token_file")
        guard (32...256).contains(token.count), token.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            let form = "one line of 32 to 256 visible characters, such as `openssl rand -hex 32` prints"
            throw ConfigurationError(problems: ["admin.token_file: not \(form)"])
        }
        return Secret(token)
    }

    private func readSecret(_ path: String, _ setting: String) throws(ConfigurationError) -> [UInt8] {
        guard !path.isEmpty else { return try read(path, setting) }
        return try SecretFile.read(path, setting, limit: 1 << 20)
    }

    private func read(_ path: String, _ setting: String) throws(ConfigurationError) -> [UInt8] {
        guard !path.isEmpty else {
            throw ConfigurationError(problems: ["\(setting): not set, and its TLS listener needs it"])
        }
        do throws(IOError) {
            return try Files.read(path, limit: 1 << 20)
        } catch {
            throw ConfigurationError(problems: ["\(setting): \(path) cannot be read: \(error.sentence)"])
        }
    }
}

extension Configuration.Limits {
    /// The limits of the public listeners.
    fileprivate var server: ServerLimits {
        var limits = ServerLimits()
        limits.headerBytes = headerBytes
        limits.headerCount = headerFields
        limits.bodyBytes = bodyBytes
        limits.requestsPerConnection = requestsPerConnection
        limits.connections = connections
        limits.connectionsPerAddress = connectionsPerAddress
        // Each of them may have a statement that waits. Some wait for others than the database, so there is no less than this.
        limits.handlers = max(1024, queue.statements)
        limits.headerDeadline = deadlines.header
        limits.bodyDeadline = deadlines.body
        limits.handlerDeadline = deadlines.handler
        limits.handshakeDeadline = deadlines.handshake
        limits.writeDeadline = deadlines.write
        limits.idleDeadline = deadlines.idle
        return limits
    }
}

extension Configuration.HTTP2 {
    fileprivate func apply(to server: inout ServerConfiguration) {
        server.acceptsClearHTTP2 = isAcceptedInClear
        server.limits.streamsPerConnection = streams
        server.limits.streamWindow = streamWindow
        server.limits.connectionWindow = connectionWindow
        server.limits.controlFrameBurst = controlBurst
        server.limits.controlFramesPerSecond = controlRate
        server.limits.responseDeadline = responseDeadline
    }
}
