import Cryptography
import EventIO
import Primitives
import Settings
import TLS
import WalletPass

/// What passes are made with, as it was read from the folders: what is sound of it, and what is not.
///
/// A template or certificate that is wrong stops the passes that need it, and nothing else.
struct PassStock: Sendable {
    /// By name.
    private(set) var templates: [OctetText: PassTemplate] = [:]
    /// By pass type.
    private(set) var signers: [OctetText: PassSigner] = [:]
    /// What the push service knows each pass type by.
    private(set) var credentials: [PushCredential] = []
    /// What is wrong, with the file's name and the remedy; no secret.
    private(set) var problems: [PassStockProblem] = []
    /// What could be better.
    private(set) var warnings: [PassStockProblem] = []
    /// The template of a card for which none is named; `nil` for the only one there is.
    private(set) var defaultTemplate: String?

    /// Nothing in stock.
    init() {}

    /// The names of templates that passes can be made of.
    var usable: [PassTemplate] {
        templates.values.filter { signers[$0.passType.octets] != nil }.sorted { $0.name.octets < $1.name.octets }
    }

    /// A template that passes can be made of.
    func usable(_ name: String) -> PassTemplate? {
        templates[name.octets].flatMap { signers[$0.passType.octets] == nil ? nil : $0 }
    }

    /// The same with what another one has that is wrong here, so that what has worked goes on.
    func completed(by before: PassStock) -> PassStock {
        var stock = self
        let broken = Set(problems.map(\.name.octets))
        for (name, template) in before.templates where stock.templates[name] == nil && broken.contains(name) {
            stock.templates[name] = template
        }
        // Those of templates that go on, too, which were not looked for.
        let needed = Set(stock.templates.values.map(\.passType.octets))
        for (type, signer) in before.signers where stock.signers[type] == nil && needed.contains(type) {
            stock.signers[type] = signer
            stock.credentials += before.credentials.filter { $0.passType.octets == type }
        }
        return stock
    }
}

/// What is wrong with a template or a certificate.
struct PassStockProblem: Sendable, Hashable {
    /// Of the template, or the pass type.
    let name: String
    /// File or folder.
    let place: String
    let message: String
    let remedy: String

    /// One line for log and terminal.
    var line: String { "\(place): \(message)" + (remedy.isEmpty ? "" : ". " + remedy) }
}

// MARK: Reading

extension PassStock {
    /// Reads both folders.
    ///
    /// - Parameters:
    ///   - passLimit: Bytes that a finished pass may have.
    ///   - now: By which certificates are valid.
    init(_ settings: WalletSettings, at now: WallTime) {
        readTemplates(settings.templateFolder)
        let types = Set(templates.values.map(\.passType.octets))
        readSigners(settings.certificateFolder, types.sorted { $0 < $1 }.map(\.string), at: now)
        for signer in signers.values.sorted(by: { $0.passType.octets < $1.passType.octets }) {
            warn(of: signer, settings)
        }
        for template in usable { tryOut(template, settings, at: now) }
        takeDefault(settings)
    }

    /// What is wrong with the template itself is said already.
    private mutating func takeDefault(_ settings: WalletSettings) {
        let name = settings.defaultTemplate
        guard !name.isEmpty else { return }
        defaultTemplate = name
        guard usable(name) == nil, !problems.contains(where: { $0.name.octets == name.octets }) else { return }
        complain(
            name,
            "wallet.default_template",
            "there is no template \(name)",
            remedy: usable.isEmpty ? "" : "Name one of \(usable.map(\.name).joined(separator: ", ")), or none."
        )
    }

    private mutating func complain(_ name: String, _ place: String, _ message: String, remedy: String = "") {
        problems.append(PassStockProblem(name: name, place: place, message: message, remedy: remedy))
    }

    private mutating func readTemplates(_ folder: String) {
        let names: [String]
        do {
            names = try Files.list(folder)
        } catch {
            return complain(
                "",
                folder,
                "cannot be read: \(error.sentence)",
                remedy: "Name the folder with the templates in wallet.templates."
            )
        }
        for name in names where Files.exists("\(folder)/\(name)/pass.json") {
            do {
                let template = try PassTemplate(name: name, files: try PassStock.files("\(folder)/\(name)"))
                templates[name.octets] = template
                for finding in template.warnings { warnings.append(PassStockProblem(name, folder, finding)) }
            } catch let error as PassTemplateError {
                for finding in error.findings { problems.append(PassStockProblem(name, folder, finding)) }
            } catch {
                complain(name, "\(folder)/\(name)", PassStock.words(error))
            }
        }
        if names.isEmpty {
            complain("", folder, "has no template", remedy: "Make a folder with pass.json and icon.png in it.")
        }
    }

    private static func words(_ error: any Error) -> String {
        switch error {
        case let error as IOError: "cannot be read: \(error.sentence)"
        case let error as CryptographyError: error.detail
        default: "\(error)"
        }
    }

    private static let greatestFileCount = 400

    /// The files of a template, those in folders of languages too.
    private static func files(_ folder: String) throws -> [PassFile] {
        var files: [PassFile] = []
        var open = [""]
        while let part = open.popLast() {
            for name in try Files.list(folder + "/" + part) where name.utf8.first != UInt8(ascii: ".") {
                let path = part + name
                if try Files.kind(folder + "/" + path) == .folder {
                    open.append(path + "/")
                } else {
                    files.append(PassFile(name: path, bytes: try Files.read(folder + "/" + path)))
                }
                guard files.count + open.count <= greatestFileCount else {
                    throw ConfigurationError(problems: ["more than \(greatestFileCount) files"])
                }
            }
        }
        return files
    }

    private mutating func readSigners(_ folder: String, _ types: [String], at now: WallTime) {
        let names: [String]
        do {
            names = try Files.list(folder)
        } catch {
            return complain(
                "",
                folder,
                "cannot be read: \(error.sentence)",
                remedy: "Name the folder with the certificates in wallet.certificates."
            )
        }
        let intermediates = readIntermediates(folder, names)
        for type in types {
            guard let template = templates.values.first(where: { $0.passType.octets == type.octets }) else { continue }
            do {
                var files = SignerFiles(folder, type, names)
                let identity = try files.read()
                let signer = try PassSigner(
                    certificate: identity.certificate,
                    key: identity.key,
                    intermediates: intermediates + identity.others,
                    passType: type,
                    team: template.team,
                    at: now
                )
                credentials.append(try PushCredential(signer, identity.key))
                signers[type.octets] = signer
            } catch let error as PassStockError {
                problems.append(error.problem)
            } catch let error as PassSignerError {
                for finding in error.findings { problems.append(PassStockProblem(type, folder, finding)) }
            } catch {
                complain(type, "\(folder)/\(type)", PassStock.words(error))
            }
        }
    }

    private mutating func warn(of signer: PassSigner, _ settings: WalletSettings) {
        // With a key for provider tokens the push service is not shown the certificate.
        for finding in signer.warnings where finding.check != .pushUsage || settings.push.keyPath.isEmpty {
            warnings.append(PassStockProblem(signer.passType, settings.certificateFolder, finding))
        }
    }

    private mutating func readIntermediates(_ folder: String, _ names: [String]) -> [X509Certificate] {
        var all: [X509Certificate] = []
        for name in names where SignerFiles.isCertificate(name) && !name.octets.starts(with: "pass.") {
            do {
                all += try X509Certificate.list(try Files.read("\(folder)/\(name)", limit: 1 << 20))
            } catch {
                complain(
                    "",
                    "\(folder)/\(name)",
                    "is no certificate in PEM or DER",
                    remedy: "Take the file out of the folder."
                )
            }
        }
        return all
    }

    /// Makes the first pass of a template, and judges it as a phone does: what no phone would take is said here, and not by the first
    /// member.
    private mutating func tryOut(_ template: PassTemplate, _ settings: WalletSettings, at now: WallTime) {
        guard let signer = signers[template.passType.octets] else { return }
        if signer.team.octets != template.team.octets {
            templates[template.name.octets] = nil
            return complain(
                template.name,
                template.name,
                "team \(template.team) is not that of the certificate, \(signer.team)"
            )
        }
        do {
            let file = try PassStock.firstPass(template, signer, at: now)
            let verdict = PassJudge(trust: [], expecting: PassStock.expectations(template)).judge(file, at: now)
            for finding in verdict.findings where finding.severity == .error {
                problems.append(PassStockProblem(template.name, settings.templateFolder, finding))
            }
            if file.count > settings.passLimit {
                complain(
                    template.name,
                    template.name,
                    "a pass has \(file.count) bytes, more than \(settings.passLimit)",
                    remedy: "Make the images smaller, or raise wallet.pass_limit."
                )
            } else if verdict.isConforming {
                return
            }
        } catch {
            complain(template.name, template.name, "no pass can be made of it: \(PassStock.words(error))")
        }
        templates[template.name.octets] = nil
    }

    /// A pass with samples for what is filled in: numbers, and texts where a number has no place.
    private static func firstPass(_ template: PassTemplate, _ signer: PassSigner, at now: WallTime) throws -> [UInt8] {
        func pass(_ sample: PassValue) throws -> [UInt8] {
            var fields = Dictionary(uniqueKeysWithValues: template.placeholders.map { ($0, sample) })
            // As members have them; a template that uses none does not look.
            fields.merge(["name": .text("Sample"), "points": .integer(0), "memberId": .text("0")]) { $1 }
            let values = PassValues(
                serialNumber: "00000000-0000-4000-8000-000000000000",
                fields: fields,
                webService: PassWebService(
                    url: "https://wallet.example.com",
                    authenticationToken: Secret(String(repeating: "0", count: 32))
                )
            )
            return try signer.package(template, try template.content(values), at: now)
        }
        do {
            return try pass(.integer(0))
        } catch {
            return try pass(.text("0"))
        }
    }

    private static func expectations(_ template: PassTemplate) -> PassJudge.Expectations {
        var expectations = PassJudge.Expectations()
        expectations.passType = template.passType
        expectations.team = template.team
        return expectations
    }
}

extension PassStockProblem {
    private static func sentence(_ text: String) -> String {
        guard let first = text.utf8.first else { return "" }
        let isSmall = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first)
        let bytes = [isSmall ? first & 0xDF : first] + text.utf8.dropFirst() + [UInt8(ascii: ".")]
        return String(decoding: bytes, as: UTF8.self)
    }

    fileprivate init(_ name: String, _ folder: String, _ finding: PassFinding) {
        self.init(
            name: name,
            place: "\(folder)/\(name) \(finding.place)",
            message: finding.text,
            remedy: PassStockProblem.sentence(finding.remedy)
        )
    }
}

extension PushCredential {
    /// The same certificate and key wake phones that sign their passes.
    fileprivate init(_ signer: PassSigner, _ key: RSAPrivateKey) throws(CryptographyError) {
        self.init(
            passType: signer.passType,
            team: signer.team,
            identity: TLSIdentity(
                certificatePEM: try signer.certificate.pem() + (try signer.intermediate.pem()),
                keyPEM: try key.pem()
            )
        )
    }
}

/// A problem on its way out of a reader.
private struct PassStockError: Error {
    let problem: PassStockProblem
}

/// The files of one pass type: `TYPE.p12`, or `TYPE.pem` (`.cer`, `.crt`) with `TYPE.key`; and `TYPE.passphrase`.
private struct SignerFiles {
    private let folder: String
    private let type: String
    private let names: [String]

    init(_ folder: String, _ type: String, _ names: [String]) {
        self.folder = folder
        self.type = type
        self.names = names
    }

    static func isCertificate(_ name: String) -> Bool {
        ["pem", "cer", "crt"].contains { name.octets.ends(with: ".\($0)".octets) }
    }

    struct Identity {
        let certificate: X509Certificate
        let key: RSAPrivateKey
        let others: [X509Certificate]
    }

    mutating func read() throws -> Identity {
        let passphrase = try passphrase()
        if let name = name(["p12", "pfx"]) {
            let file = try keyFile(name, passphrase)
            guard let certificate = file.certificate else {
                throw problem(name, "has no certificate", "Export certificate and key together.")
            }
            return Identity(certificate: certificate, key: file.key, others: file.others)
        }
        guard let name = name(["pem", "cer", "crt"]) else {
            throw problem(
                "\(type).cer",
                "is not there",
                "Put the certificate of the pass type there under this name, and its key as \(type).key."
            )
        }
        let certificate: X509Certificate
        do {
            certificate = try X509Certificate(try Files.read("\(folder)/\(name)", limit: 1 << 20))
        } catch {
            throw problem(name, "is no certificate in PEM or DER", "Download it again.")
        }
        guard let keyName = self.name(["key", "key.pem"]) else {
            throw problem(
                "\(type).key",
                "is not there",
                "Put the key into the folder that the certificate was asked for with."
            )
        }
        let file = try keyFile(keyName, passphrase)
        return Identity(certificate: certificate, key: file.key, others: [])
    }

    private func name(_ extensions: [String]) -> String? {
        extensions.map { "\(type).\($0)" }.first { name in names.contains { $0.octets == name.octets } }
    }

    private func passphrase() throws -> Secret<String>? {
        guard let name = name(["passphrase"]) else { return nil }
        let line = try secret { () throws(ConfigurationError) in
            try SecretFile.line("\(folder)/\(name)", "wallet.certificates")
        }
        return Secret(String(decoding: line, as: UTF8.self))
    }

    private func keyFile(_ name: String, _ passphrase: Secret<String>?) throws -> KeyFile {
        let bytes = try secret { () throws(ConfigurationError) in
            try SecretFile.read("\(folder)/\(name)", "wallet.certificates", limit: 1 << 20)
        }
        do {
            return try KeyFile(Secret(bytes), passphrase: passphrase)
        } catch {
            let remedy =
                passphrase == nil
                ? "If it has a passphrase, put that into \(type).passphrase."
                : "Compare \(type).passphrase with the key's."
            throw problem(name, "cannot be read as a private key", remedy)
        }
    }

    private func secret<Value>(_ body: () throws(ConfigurationError) -> Value) throws(PassStockError) -> Value {
        do {
            return try body()
        } catch {
            throw PassStockError(
                problem: PassStockProblem(
                    name: type,
                    place: folder,
                    message: error.problems.joined(separator: "; "),
                    remedy: ""
                )
            )
        }
    }

    private func problem(_ file: String, _ message: String, _ remedy: String) -> PassStockError {
        PassStockError(
            problem: PassStockProblem(name: type, place: "\(folder)/\(file)", message: message, remedy: remedy)
        )
    }
}
