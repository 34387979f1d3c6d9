/// A signature by ECDSA: two numbers, in the two forms that the world has for them.
package struct ECDSASignature: Sendable, Equatable {
    /// Both numbers, each in as many bytes as the curve has: the form in tokens, RFC 7518 section 3.4 (IEEE P1363).
    package let octets: [UInt8]

    /// Reads the form in tokens.
    ///
    /// - Parameter octets: Bytes from anywhere; another length than the curve's gives `nil`.
    package init?(octets: [UInt8], on curve: EllipticCurve) {
        guard octets.count == 2 * curve.numberBytes else { return nil }
        self.octets = octets
    }

    /// Reads the form in certificates: a sequence of two integers in DER.
    ///
    /// - Parameter der: Bytes from anywhere; another spelling than that of DER and a number too long for the curve give `nil`.
    package init?(der: [UInt8], on curve: EllipticCurve) {
        guard let numbers = try? DERValue(der).values(of: DERValue.Tag.sequence), numbers.count == 2 else { return nil }
        var octets: [UInt8] = []
        for number in numbers {
            guard let digits = try? number.magnitude(), digits.count <= curve.numberBytes else { return nil }
            octets += [UInt8](repeating: 0, count: curve.numberBytes - digits.count) + digits
        }
        self.octets = octets
    }

    /// The form in certificates, which OpenSSL takes and gives: a sequence of two integers in DER.
    package var der: [UInt8] {
        let half = octets.count / 2
        return DERValue.sequence(DERValue.integer(octets.prefix(half)), DERValue.integer(octets.suffix(half)))
    }
}
