import SimulatorCore

extension IdentifierMint {
    /// A charge permission id: `S03-1234567-1234567`, or another letter for one that is not for a single order.
    mutating func permissionID(_ type: CheckoutTerms.PermissionType, _ environment: ReleaseEnvironment) -> String {
        let letter =
            switch (type, environment) {
            case (.oneTime, .sandbox): "S"
            case (.oneTime, .live): "P"
            case (_, .sandbox): "B"
            case (_, .live): "C"
            }
        return "\(letter)03-\(digits(7))-\(digits(7))"
    }
}
