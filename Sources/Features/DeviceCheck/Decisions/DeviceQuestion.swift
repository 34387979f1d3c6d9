import DeviceAttestation
import Primitives
import ServiceAPI
import StrictJSON
import Web

/// What a request says of a device.
struct DeviceQuestion {
    /// What the app has to show.
    enum Proof {
        case token(DeviceToken)
        /// The text of `device_check.bypass_token`: a new device that Apple is not asked about.
        case bypass
        /// None, and why, in the app's word.
        case none(String)
    }

    let account: UUIDBytes
    let proof: Proof
    /// The app's, by how it is signed.
    let environment: DeviceEnvironment
    /// Of the check that it goes on with.
    let checkID: UUIDBytes?
    let now: WallTime

    var token: DeviceToken? { if case .token(let token) = proof { token } else { nil } }
}

extension DeviceQuestion.Proof {
    /// Characters of a token, in Base64; what Apple gives has some thousand.
    static let longestToken = (DeviceToken.usualBounds.upperBound + 2) / 3 * 4
    /// Characters of a reason for none.
    static let longestReason = 64

    /// The proof that members of a request stand for.
    ///
    /// - Parameter isNeeded: Whether one of the two has to be there.
    /// - Throws: `device_token_malformed`, `invalid_request`.
    init(token: String?, unsupported: String?, bypass: Secret<String>?, isNeeded: Bool) throws(Failure) {
        if let token {
            guard unsupported == nil else {
                throw Failure(.invalidRequest, message: "Not beside a token.", field: "unsupported")
            }
            if let bypass, constantTimeEqual(token.utf8Span.span, bypass.reveal().utf8Span.span) {
                self = .bypass
                return
            }
            do throws(DeviceTokenRefusal) {
                self = .token(try DeviceToken(token))
            } catch {
                throw Failure(.deviceTokenMalformed, "\(error)", field: "deviceToken")
            }
            return
        }
        guard let unsupported else {
            guard !isNeeded else { throw Failure(.invalidRequest, message: "It is missing.", field: "deviceToken") }
            self = .none("none")
            return
        }
        guard (1...Self.longestReason).contains(unsupported.utf8.count), unsupported.octets.isWord else {
            throw Failure(
                .invalidRequest,
                message: "One word of up to \(Self.longestReason) characters.",
                field: "unsupported"
            )
        }
        self = .none(unsupported)
    }
}
