/// What the certificates of a signed text have to be marked with, so that no other certificate of the same authority will do.
package struct CertificatePurpose: Sendable, Equatable {
    /// The object identifier of an extension of the intermediate; `nil` where the authority signs for this purpose alone.
    package let intermediateMarker: String?
    /// The object identifier of an extension of the leaf.
    package let leafMarker: String

    /// A purpose; the value of a marker does not count, only that it is there.
    package init(intermediateMarker: String?, leafMarker: String) {
        self.intermediateMarker = intermediateMarker
        self.leafMarker = leafMarker
    }

    /// Receipts of the App Store, signed on behalf of its server.
    package static let appStore = CertificatePurpose(
        intermediateMarker: "1.2.840.113635.100.6.2.1",
        leafMarker: "1.2.840.113635.100.6.11.1"
    )
}
