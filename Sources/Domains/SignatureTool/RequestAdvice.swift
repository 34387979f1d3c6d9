import AmazonPay
import Primitives

/// What is odd about a signed request, whether its signature is good or not.
struct RequestAdvice {
    let request: SignedRequest
    let authorization: AuthorizationField?
    let keyID: String?
    let now: WallTime

    var hints: [SignatureHint] {
        [absent, otherKeyID, environment, region, hosts, date, length, missingKey, encodedBody].compactMap(\.self)
    }

    private var absent: SignatureHint? {
        guard authorization == nil else { return nil }
        return SignatureHint(
            "authorization",
            "there is no readable Authorization field; the text above is for a signature over the mandatory headers"
        )
    }

    private var otherKeyID: SignatureHint? {
        guard let authorization, let keyID, authorization.publicKeyID != keyID else { return nil }
        return SignatureHint(
            "key_id",
            "the request names the key \(authorization.publicKeyID), the settings name \(keyID)"
        )
    }

    private var environment: SignatureHint? {
        guard let authorization, let key = PublicKeyID(authorization.publicKeyID) else { return nil }
        let isInPath = request.path.hasPrefix("/sandbox/") || request.path.hasPrefix("/live/")
        if key.environment != nil, isInPath {
            return SignatureHint(
                "environment",
                "the key id names its environment, so the path begins with /v2/, without /sandbox or /live"
            )
        }
        guard key.environment == nil, !isInPath else { return nil }
        return SignatureHint(
            "environment",
            "the key id names no environment, so the path begins with /sandbox/v2/ or /live/v2/"
        )
    }

    private var region: SignatureHint? {
        guard let text = request.value("x-amz-pay-region"), let host = request.value("x-amz-pay-host") else {
            return nil
        }
        guard let region = AmazonPayRegion(named: text) else {
            return SignatureHint("region", "x-amz-pay-region is \(text): na, eu or jp are known")
        }
        let owner = AmazonPayRegion.allCases.first { $0.apiHost == host.lowercased() }
        guard let owner, owner != region else { return nil }
        return SignatureHint("region", "x-amz-pay-region is \(text), but \(host) is the host of \(owner.label)")
    }

    private var hosts: SignatureHint? {
        guard let host = request.value("host"), let signed = request.value("x-amz-pay-host"),
            host.lowercased() != signed.lowercased()
        else { return nil }
        return SignatureHint("host", "the request goes to \(host), and x-amz-pay-host says \(signed)")
    }

    private var date: SignatureHint? {
        guard let date = request.value("x-amz-pay-date").flatMap(CalendarDate.time), date + .seconds(900) < now else {
            return nil
        }
        let minutes = (now.seconds - date.seconds) / 60
        return SignatureHint("date", "the date is \(minutes) minutes old: the service would refuse the request today")
    }

    private var length: SignatureHint? {
        guard let text = request.value("content-length"), let count = Int(text), count != request.body.count else {
            return nil
        }
        return SignatureHint(
            "content_length",
            "content-length says \(count), and the body has \(request.body.count) octets: it was not copied exactly, or "
                + "encoded anew after signing"
        )
    }

    private var missingKey: SignatureHint? {
        guard request.method == "POST", request.value("x-amz-pay-idempotency-key") == nil else { return nil }
        return SignatureHint("idempotency_key", "a POST without x-amz-pay-idempotency-key may take effect twice")
    }

    private var encodedBody: SignatureHint? {
        guard request.body.starts(with: [0xEF, 0xBB, 0xBF]) else { return nil }
        return SignatureHint(
            "byte_order_mark",
            "the body begins with a byte order mark: either sign and send it, or leave it out of both"
        )
    }
}

extension SignedRequest {
    /// The list of a signer that signs what must be signed, for a request that does not say.
    var defaultHeaders: String {
        let names = [
            "accept", "content-type", "x-amz-pay-date", "x-amz-pay-host", "x-amz-pay-idempotency-key",
            "x-amz-pay-region",
        ]
        return names.filter { value($0) != nil || $0 != "x-amz-pay-idempotency-key" }.joined(separator: ";")
    }
}
