package import Cryptography
package import Primitives
import StrictJSON
package import ZIP

/// Why a pass cannot be made.
package enum PassPackageError: Error, Sendable, CustomStringConvertible {
    /// The template or its content is of another pass type or team than the certificate.
    case otherType
    /// The certificate or its issuer's is not valid at the time of signing; where the clock is behind, not yet.
    case notValid
    /// A pass or bundle with more bytes or entries than phones take.
    case tooLarge
    /// A name that an archive cannot have, or has twice.
    case archive(ZIPWriteError)
    /// OpenSSL refused.
    case cryptography(CryptographyError)

    package var description: String {
        switch self {
        case .otherType: "the certificate is of another pass type"
        case .notValid: "the certificate is not valid now"
        case .tooLarge: "larger than phones take"
        case .archive(let error): "\(error)"
        case .cryptography(let error): error.debugDescription
        }
    }
}

/// Signs passes of one type.
package struct PassSigner: Sendable {
    /// The pass type of the certificate.
    package let passType: String
    /// The team of the certificate.
    package let team: String
    /// The pass certificate.
    package let certificate: X509Certificate
    /// The certificate of its issuer, which goes into every pass.
    package let intermediate: X509Certificate
    /// SHA-256 of the pass certificate.
    package let certificateDigest: Digest32
    /// The end of the validity of certificate and issuer, whichever comes first: from then on nothing is signed.
    package let expires: WallTime
    /// What phones do not mind, and what is wrong all the same.
    package let warnings: [PassFinding]
    private let key: RSAPrivateKey

    /// The greatest number of bytes of a pass.
    package static let limit = 20 << 20

    /// Makes a signer, where phones would take what it signs.
    ///
    /// - Parameters:
    ///   - intermediates: One of them issued the certificate.
    ///   - time: When certificates have to be valid.
    /// - Throws: All that is wrong, with remedies.
    package init(
        certificate: X509Certificate,
        key: RSAPrivateKey,
        intermediates: [X509Certificate],
        passType: String,
        team: String,
        at time: WallTime
    ) throws(PassSignerError) {
        var checks = SignerChecks(certificate: certificate, passType: passType, team: team)
        checks.checkSubject()
        checks.checkExtensions()
        checks.checkValidity(of: certificate, at: time)
        checks.checkKey(key)
        let intermediate = checks.issuer(among: intermediates, at: time)
        checks.checkPush()
        let errors = checks.report.findings.filter { $0.severity == .error }
        guard errors.isEmpty, let intermediate else { throw PassSignerError(findings: errors) }
        self.passType = passType
        self.team = team
        self.certificate = certificate
        self.intermediate = intermediate
        self.key = key
        warnings = checks.report.findings.filter { $0.severity == .warning }
        certificateDigest = certificate.fingerprint
        expires = min(certificate.notAfter, intermediate.notAfter)
    }

    /// Makes the file of a pass.
    ///
    /// Takes about a millisecond, half of it for the signature: on a worker, not on a loop.
    ///
    /// - Parameters:
    ///   - content: Filled from the template.
    ///   - time: Of signing, by the clock; the archive's time stamps say the same, so that equal input gives equal bytes.
    /// - Returns: The `.pkpass`.
    package func package(
        _ template: PassTemplate,
        _ content: PassContent,
        at time: WallTime
    ) throws(PassPackageError) -> [UInt8] {
        guard template.passType.octets == passType.octets, template.team.octets == team.octets,
            content.passType.octets == passType.octets
        else { throw .otherType }
        guard certificate.isValid(at: time), intermediate.isValid(at: time) else { throw .notValid }
        let manifest = PassManifest.bytes(template, json: content.json)
        do {
            let signature = try SignedMessage.sign(
                manifest,
                as: certificate,
                with: key,
                intermediates: [intermediate],
                at: time
            )
            var archive = ZIPWriter(time: time)
            try archive.add(PassFileName.pass, ZIPBody(content.json))
            try archive.add(PassFileName.manifest, ZIPBody(manifest))
            try archive.add(PassFileName.signature, ZIPBody(signature))
            for file in template.files { try archive.add(file.name, file.body) }
            let bytes = archive.finish()
            guard bytes.count <= PassSigner.limit else { throw PassPackageError.tooLarge }
            return bytes
        } catch let error as CryptographyError {
            throw .cryptography(error)
        } catch let error as ZIPWriteError {
            throw .archive(error)
        } catch {
            throw .tooLarge
        }
    }
}

/// Object identifiers of pass certificates.
enum PassIdentifier {
    static let userID = "0.9.2342.19200300.100.1.1"
    static let commonName = "2.5.4.3"
    static let unit = "2.5.4.11"
    static let marker = "1.2.840.113635.100.6.1.16"
    static let passUsage = "1.2.840.113635.100.4.14"
    static let clientUsage = "1.3.6.1.5.5.7.3.2"
    static let pushMarker = "1.2.840.113635.100.6.3.2"
}

/// Checks a certificate before anything is signed with it.
private struct SignerChecks {
    let certificate: X509Certificate
    let passType: String
    let team: String
    private(set) var report = PassReport()

    private static let renew = "make a pass type certificate for it in the developer portal"

    init(certificate: X509Certificate, passType: String, team: String) {
        self.certificate = certificate
        self.passType = passType
        self.team = team
    }

    mutating func checkSubject() {
        let types = certificate.subjectTexts(PassIdentifier.userID)
        if types.map(\.octets) != [passType.octets] {
            let text = "the certificate is for \(SignerChecks.list(types)), not for \(passType)"
            report.error(.certificatePassType, at: "UID", text, remedy: SignerChecks.renew)
        }
        let teams = certificate.subjectTexts(PassIdentifier.unit)
        if teams.map(\.octets) != [team.octets] {
            let text = "the certificate is of the team \(SignerChecks.list(teams)), not of \(team)"
            report.error(
                .certificateTeam,
                at: "OU",
                text,
                remedy: "correct teamIdentifier, or take the team's certificate"
            )
        }
    }

    mutating func checkExtensions() {
        if certificate.markedPassType?.octets != passType.octets {
            let text = "the certificate has no marker of a pass certificate for \(passType)"
            report.error(.certificateMarker, at: PassIdentifier.marker, text, remedy: SignerChecks.renew)
        }
        if !certificate.extendedUsages.contains(PassIdentifier.passUsage) {
            let text = "the certificate is not for passes by its extended key usage"
            report.error(.certificateUsage, at: PassIdentifier.passUsage, text, remedy: SignerChecks.renew)
        }
        if !certificate.maySign {
            report.error(
                .keyUsage,
                at: "key usage",
                "the certificate is not for signatures",
                remedy: SignerChecks.renew
            )
        }
    }

    /// The push service knows who asks by the same certificate.
    mutating func checkPush() {
        for identifier in certificate.absentForPush {
            let text = "the certificate cannot wake phones: cards do not change by themselves"
            report.warning(.pushUsage, at: identifier, text, remedy: SignerChecks.renew)
        }
    }

    mutating func checkValidity(of certificate: X509Certificate, at time: WallTime) {
        let name = SignerChecks.name(certificate.subjectTexts)
        if time > certificate.notAfter {
            let text = "expired on \(SignerChecks.day(certificate.notAfter))"
            let remedy = "replace it; passes that are installed go on working"
            report.error(.certificateValidity, at: name, text, remedy: remedy)
        } else if time < certificate.notBefore {
            let text = "not valid before \(SignerChecks.day(certificate.notBefore))"
            report.error(.certificateValidity, at: name, text, remedy: "set the clock of this machine")
        }
    }

    mutating func checkKey(_ key: RSAPrivateKey) {
        guard !key.belongs(to: certificate) else { return }
        let remedy = "take the key with which the certificate was requested"
        report.error(.key, at: "key", "the key does not belong to the certificate", remedy: remedy)
    }

    /// The certificate of the issuer; of several the one that is valid longest.
    mutating func issuer(among intermediates: [X509Certificate], at time: WallTime) -> X509Certificate? {
        let wanted = SignerChecks.name(certificate.issuerTexts)
        let issuers = intermediates.filter { certificate.isSigned(by: $0) && $0.isAuthority }
        if let issuer = issuers.max(by: { $0.notAfter < $1.notAfter }) {
            checkValidity(of: issuer, at: time)
            return issuer
        }
        let remedy = "configure the intermediate certificate of \(wanted)"
        if intermediates.isEmpty {
            report.error(.chain, at: "intermediate", "no intermediate certificate", remedy: remedy)
        } else if intermediates.contains(where: { $0.subject == certificate.issuer }) {
            let text = "the intermediate has the name of the certificate's issuer, but another key"
            report.error(.chain, at: "intermediate", text, remedy: remedy)
        } else {
            let names = intermediates.map { SignerChecks.name($0.subjectTexts) }
            let text = "the intermediate is \(SignerChecks.list(names)), the certificate was issued by \(wanted)"
            report.error(.chain, at: "intermediate", text, remedy: remedy)
        }
        return nil
    }

    /// Common name and unit, for example `Worldwide Developer Relations (G4)`.
    private static func name(_ texts: (String) -> [String]) -> String {
        let name = texts(PassIdentifier.commonName).last ?? "a nameless certificate"
        return texts(PassIdentifier.unit).last.map { "\(name) (\($0))" } ?? name
    }

    private static func list(_ names: [String]) -> String {
        names.isEmpty ? "nobody" : names.joined(separator: ", ")
    }

    private static func day(_ time: WallTime) -> String {
        String(decoding: CalendarDate(time).extendedText.utf8.prefix(10), as: UTF8.self)
    }
}

extension X509Certificate {
    /// What the push service looks for and does not find: a usage, or a marker.
    var absentForPush: [String] {
        var absent: [String] = []
        if !extendedUsages.contains(PassIdentifier.clientUsage) { absent.append(PassIdentifier.clientUsage) }
        if value(ofExtension: PassIdentifier.pushMarker) == nil { absent.append(PassIdentifier.pushMarker) }
        return absent
    }

    /// The pass type that the marker of pass certificates names; `nil` without a marker.
    var markedPassType: String? {
        guard let content = value(ofExtension: PassIdentifier.marker), let value = try? DERValue(content) else {
            return nil
        }
        return value.text
    }
}
