extension Duration {
    /// Whole microseconds, rounded towards zero.
    package var microseconds: Int64 {
        let parts = components
        return parts.seconds * 1_000_000 + parts.attoseconds / 1_000_000_000_000
    }
}
