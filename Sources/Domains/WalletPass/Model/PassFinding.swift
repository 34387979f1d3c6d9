/// Something that is wrong, or may be, with a pass, a template or a certificate.
package struct PassFinding: Error, Sendable, Hashable, CustomStringConvertible {
    /// How much it matters.
    package enum Severity: Sendable, Hashable {
        /// Phones refuse the pass.
        case error
        /// Phones take the pass, and show or do something else than was meant.
        case warning
    }

    /// The rule that is broken.
    package let check: PassCheck
    /// How much it matters.
    package let severity: Severity
    /// A file, a member of pass.json or a certificate; without control characters, and cut where a sender chose a long name.
    package let place: String
    /// A sentence for people, without a full stop.
    package let text: String
    /// A sentence that says how to mend it, without a full stop; empty where the text says it.
    package let remedy: String

    init(_ check: PassCheck, _ severity: Severity, at place: String = "", _ text: String, remedy: String = "") {
        self.check = check
        self.severity = severity
        self.place = PassFinding.shown(place)
        self.text = text
        self.remedy = remedy
    }

    private static func shown(_ place: String) -> String {
        var shown = String.UnicodeScalarView()
        for scalar in place.unicodeScalars.prefix(120) {
            let isPlain = scalar.value >= 0x20 && scalar.value != 0x7F && !scalar.properties.isDefaultIgnorableCodePoint
            shown.append(isPlain ? scalar : "?")
        }
        return String(shown)
    }

    /// One line.
    package var description: String {
        "\(check.rawValue) " + (place.isEmpty ? "" : "\(place): ") + text + (remedy.isEmpty ? "" : "; \(remedy)")
    }
}

/// The rules of the format, by the identifiers under which reports name them.
package enum PassCheck: String, Sendable, CaseIterable {
    /// No ZIP archive, or one in a form that phones do not read.
    case archive = "Z01"
    /// Two entries of one name.
    case repeatedEntry = "Z02"
    /// A compression other than deflate.
    case compression = "Z03"
    /// An encrypted entry.
    case encryption = "Z04"
    /// Headers that contradict each other.
    case archiveHeaders = "Z05"
    /// A damaged content.
    case archiveContent = "Z06"
    /// A name that leads elsewhere.
    case entryName = "Z07"
    /// An entry for a folder.
    case folderEntry = "Z08"
    /// A file that a system left behind.
    case junk = "Z09"
    /// Too many bytes.
    case size = "Z10"
    /// A file without which there is no pass.
    case missingFile = "Z11"
    /// The manifest is no JSON object.
    case manifestForm = "M01"
    /// A file that the manifest does not list.
    case unlistedFile = "M02"
    /// A listed file that is absent.
    case listedFile = "M03"
    /// A digest that is not the file's.
    case manifestDigest = "M04"
    /// The manifest lists itself or the signature.
    case manifestItself = "M05"
    /// A digest in capitals.
    case manifestCapitals = "M07"
    /// The signature is no signed message in DER.
    case signatureForm = "S01"
    /// The signed content is inside, or of another kind.
    case signatureContent = "S02"
    /// Not exactly one signer.
    case signers = "S03"
    /// An attribute that must be signed is absent.
    case signedAttributes = "S04"
    /// The signature is over another manifest.
    case messageDigest = "S05"
    /// The signature is not the signer's.
    case signature = "S06"
    /// The digest of the signature.
    case signatureDigest = "S07"
    /// The time of signing.
    case signingTime = "S08"
    /// The attributes are in another order than that of DER.
    case attributeOrder = "S09"
    /// The signer is named by key.
    case signerName = "S10"
    /// OpenSSL refuses the signature.
    case verification = "S11"
    /// Something in the signature that phones do not need.
    case signatureExtras = "S12"
    /// BER instead of DER.
    case encoding = "S13"
    /// The signer's certificate is absent or cannot be read.
    case signerCertificate = "C01"
    /// The chain from the certificate to the root.
    case chain = "C02"
    /// The subject's pass type.
    case certificatePassType = "C03"
    /// The subject's team.
    case certificateTeam = "C04"
    /// The subject's common name.
    case certificateName = "C05"
    /// The marker of a pass certificate.
    case certificateMarker = "C06"
    /// The usage for passes.
    case certificateUsage = "C07"
    /// The validity of a certificate.
    case certificateValidity = "C08"
    /// The usage for signatures.
    case keyUsage = "C09"
    /// The size of the key, and whether it is the certificate's.
    case key = "C10"
    /// The usages for push.
    case pushUsage = "C11"
    /// pass.json is no JSON object.
    case passForm = "P01"
    /// A required member.
    case required = "P02"
    /// The style.
    case style = "P03"
    /// Fields, their keys and values.
    case field = "P04"
    /// A member of a field with a value that the format does not have.
    case fieldOption = "P05"
    /// A date.
    case date = "P06"
    /// Number style and currency.
    case number = "P07"
    /// A barcode.
    case barcode = "P08"
    /// Only the barcode of old systems.
    case oldBarcode = "P09"
    /// Places and beacons.
    case relevance = "P10"
    /// Web service and token.
    case webService = "P11"
    /// A colour.
    case color = "P12"
    /// Store identifiers.
    case stores = "P13"
    /// NFC.
    case nfc = "P14"
    /// The transit type.
    case transitType = "P15"
    /// The grouping identifier.
    case grouping = "P16"
    /// A serial number that needs escapes.
    case serialNumber = "P17"
    /// The text of a notice.
    case changeMessage = "P18"
    /// An unknown member.
    case unknownMember = "P19"
    /// The form of the pass type.
    case passType = "P20"
    /// The form of the team.
    case team = "P21"
    /// Semantic tags.
    case semantics = "P22"
    /// The text with links.
    case attributedValue = "P23"
    /// Data for companion apps and personalization.
    case extras = "P24"
    /// A member of the wrong type.
    case memberType = "P25"
    /// Alignment where there is none.
    case alignment = "P26"
    /// More fields than are shown.
    case fieldCount = "P27"
    /// Web service and token that are poor.
    case webServiceQuality = "P28"
    /// Another value than the one expected.
    case expectation = "P30"
    /// The icon.
    case icon = "I01"
    /// An image that cannot be read.
    case image = "I02"
    /// A file that the format does not have.
    case fileName = "I03"
    /// The icon's scales.
    case iconScales = "I04"
    /// The size of an image.
    case imageSize = "I05"
    /// An image that the style does not show.
    case imageStyle = "I06"
    /// Scales of one image that do not fit each other.
    case imageScales = "I07"
    /// The name of a folder.
    case folder = "L01"
    /// A file of strings that cannot be read.
    case strings = "L02"
    /// A key that one language lacks.
    case stringsKeys = "L03"
    /// A language without strings.
    case stringsMissing = "L04"
    /// Languages with different images.
    case localizedImages = "L05"
    /// An image that hides localized ones.
    case hiddenImage = "L06"
    /// How many passes a bundle has.
    case bundleCount = "B01"
    /// The size of a bundle.
    case bundleSize = "B02"
    /// A file of a bundle that is no pass.
    case bundleFile = "B03"
    /// A pass twice in a bundle.
    case bundleRepeated = "B04"
    /// Placeholders of a template.
    case placeholder = "T01"
    /// A member that the program writes itself.
    case reserved = "T02"

    /// Whether an own pass must not break the rule, though phones take passes that do.
    var isStrict: Bool { PassCheck.strict.contains(self) }

    private static let strict: Set<PassCheck> = [
        .folderEntry, .size, .manifestCapitals, .signatureDigest, .signerName, .signatureExtras, .encoding,
        .certificateName, .keyUsage, .pushUsage, .oldBarcode, .color, .serialNumber, .changeMessage, .unknownMember,
        .team, .alignment, .fieldCount, .webServiceQuality, .fileName, .iconScales, .imageSize, .imageStyle,
        .imageScales, .stringsKeys, .stringsMissing, .localizedImages, .hiddenImage,
    ]
}
