package import Primitives
package import StrictJSON

/// The purchase or download of the app itself, as Apple signed it at some time.
package struct AppTransaction: Sendable {
    /// The app's name, the verifier's.
    package let bundleID: String
    /// The app's number; 0 or absent outside production.
    package let appAppleID: Int64?
    /// The verifier's environment.
    package let environment: AppStoreEnvironment
    /// The version of the app.
    package let version: String?
    /// The App Store's number of the version.
    package let versionExternalID: Int?
    /// When Apple signed the text; 1970 where it does not say.
    package let signed: WallTime
    /// When the app was first got.
    package let originalPurchase: WallTime?
    /// The version that was first got.
    package let originalVersion: String?
    /// For example `iOS`.
    package let originalPlatform: String?
    /// When it was ordered before its release.
    package let preordered: WallTime?
    /// One for each customer and app.
    package let appTransactionID: String?
    /// What ties the text to a device, Base64.
    package let deviceVerification: String?
    /// What was hashed with the device's identifier.
    package let deviceVerificationNonce: UUIDBytes?
    /// Everything that was signed.
    package let payload: JSONValue
}

/// Reads the payload of an app transaction in steps: what it is, and the rest.
struct AppTransactionReader {
    let reader: PayloadReader

    /// - Throws: `wrongKind` where a member is missing that makes the kind.
    init(_ payload: JSONValue) throws(SignedTextRefusal) {
        reader = PayloadReader(payload: payload)
        guard payload["receiptType"] != nil else { throw .wrongKind(.missingMember) }
    }

    func transaction(
        of bundleID: String,
        in environment: AppStoreEnvironment
    ) throws(SignedTextRefusal) -> AppTransaction {
        AppTransaction(
            bundleID: bundleID,
            appAppleID: try reader.longInteger("appAppleId"),
            environment: environment,
            version: try reader.text("applicationVersion"),
            versionExternalID: try reader.integer("versionExternalIdentifier"),
            signed: try reader.time("receiptCreationDate") ?? WallTime(seconds: 0),
            originalPurchase: try reader.time("originalPurchaseDate"),
            originalVersion: try reader.text("originalApplicationVersion"),
            originalPlatform: try reader.text("originalPlatform"),
            preordered: try reader.time("preorderDate"),
            appTransactionID: try reader.identifier("appTransactionId"),
            deviceVerification: try reader.text("deviceVerification"),
            deviceVerificationNonce: try reader.uuid("deviceVerificationNonce"),
            payload: reader.payload
        )
    }
}
