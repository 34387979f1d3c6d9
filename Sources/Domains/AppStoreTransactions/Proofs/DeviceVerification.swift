import Cryptography
package import Primitives

/// What ties a signed text to the device that got it.
///
/// The app says the device's identifier by itself: a match shows that the sender knows it, and is no proof of a device. The identifier
/// is personal data.
package enum DeviceVerification {
    /// Whether a text was made for a device.
    ///
    /// - Parameters:
    ///   - verification: From the text: Base64 of SHA-384 over nonce and identifier, both as lower-case text.
    ///   - nonce: From the text.
    ///   - device: From the app.
    package static func matches(_ verification: String, nonce: UUIDBytes, device: UUIDBytes) -> Bool {
        guard let claimed = Base64.decode(verification) else { return false }
        let digest = DigestAlgorithm.sha384.digest(of: Array((nonce.description + device.description).utf8))
        return constantTimeEqual(claimed.span, digest.span)
    }
}

extension Transaction {
    /// Whether the text was made for a device; `nil` for a text that ties itself to none, as those of the server API.
    package func matches(device: UUIDBytes) -> Bool? {
        guard let deviceVerification, let deviceVerificationNonce else { return nil }
        return DeviceVerification.matches(deviceVerification, nonce: deviceVerificationNonce, device: device)
    }
}

extension AppTransaction {
    /// Whether the text was made for a device; `nil` for a text that ties itself to none, as those of the server API.
    package func matches(device: UUIDBytes) -> Bool? {
        guard let deviceVerification, let deviceVerificationNonce else { return nil }
        return DeviceVerification.matches(deviceVerification, nonce: deviceVerificationNonce, device: device)
    }
}
