import Primitives

extension MoneyEngine {
    func permission(_ id: String, for caller: Caller) throws(APIError) -> SimulatedPermission {
        guard let permission = permissions[id], caller.owns(permission.merchantID, permission.environment) else {
            throw .notFound("chargePermissions/\(id)")
        }
        return permission
    }

    /// What may still be charged; `nil` for a permission without a limit.
    func balance(of permission: SimulatedPermission) -> Price? {
        guard let limit = permission.limit else { return nil }
        let bound = permission.chargeIDs.reduce(0) { $0 + (charges[$1]?.boundUnits ?? 0) }
        return Price(units: max(0, limit.units - bound), limit.currency)
    }

    mutating func updatePermission(
        _ id: String,
        for caller: Caller,
        _ change: (inout MerchantMetadata) -> Void
    ) throws(APIError) -> SimulatedPermission {
        var permission = try permission(id, for: caller)
        guard !permission.isClosed else {
            throw APIError(.chargePermissionNotModifiable, "The Charge Permission is closed.")
        }
        change(&permission.metadata)
        permissions[id] = permission
        return permission
    }

    /// Ends a permission; charges that are authorised or pending are canceled with it, or else they are in the way.
    mutating func closePermission(
        _ id: String,
        for caller: Caller,
        cancelsPending: Bool,
        _ reason: SimulatedPermission.CloseReason
    ) throws(APIError) -> SimulatedPermission {
        let permission = try permission(id, for: caller)
        let open = permission.chargeIDs.filter { charges[$0]?.state.isInProgress == true }
        guard !permission.isClosed, open.isEmpty || cancelsPending else {
            throw APIError(
                .invalidChargePermissionStatus,
                permission.isClosed ? "The Charge Permission is closed." : "The Charge Permission has open charges."
            )
        }
        close(permission: id, reason)
        return try self.permission(id, for: caller)
    }

    /// Ends a permission that is still open, for any reason; its authorised and pending charges end with it.
    mutating func close(permission id: String, _ reason: SimulatedPermission.CloseReason) {
        guard let permission = permissions[id], !permission.isClosed else { return }
        for chargeID in permission.chargeIDs {
            switch charges[chargeID]?.state {
            case .authorizationInitiated, .authorized: enter(charge: chargeID, .canceled(.chargePermissionCanceled))
            case .captureInitiated, .captured, .canceled, .declined, nil: break
            }
        }
        enter(permission: id, .closed(reason))
    }

    /// Brings the state of a permission in line with its charges.
    mutating func refresh(permission id: String) {
        guard let permission = permissions[id], !permission.isClosed else { return }
        let states = permission.chargeIDs.compactMap { charges[$0]?.state }
        var obstacles = permission.obstacles
        if states.contains(where: \.isInProgress) { obstacles.insert(.chargeInProgress) }
        if states.contains(.declined(.amazonRejected)) {
            // Amazon takes the buyer's word back together with the charge.
            close(permission: id, .amazonClosed)
        } else if !obstacles.isEmpty {
            enter(permission: id, .nonChargeable(obstacles))
        } else if let balance = balance(of: permission), balance.units == 0, permission.type == .oneTime {
            // Used up: the service closes it by itself.
            enter(permission: id, .closed(.amazonClosed))
        } else {
            enter(permission: id, .chargeable)
        }
    }
}
