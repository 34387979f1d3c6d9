import StrictJSON
import Testing

/// One simulator after the other: hundreds at once would starve each other's timers.
@Suite("A row of the service's rules", .serialized)
struct RowTests {
    private static let rows =
        Row.completeRows + Row.finalizeRows + Row.chargeRows + Row.permissionRows + Row.refundRows + Row.otherRows

    @Test(arguments: rows)
    func `holds in the model`(row: Row) async throws {
        try await row.run(RowShop(ModelDriver()))
    }

    @Test(arguments: rows)
    func `holds over a socket`(row: Row) async throws {
        try await withSimulator { bench in
            let shop = RowShop(WireDriver(bench: bench))
            try await shop.control("POST", "options", ["signature": "off"])
            try await row.run(shop)
        }
    }
}
