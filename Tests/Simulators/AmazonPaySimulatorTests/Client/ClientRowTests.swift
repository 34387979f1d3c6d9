import Testing

/// One simulator after the other: hundreds at once would starve each other's timers.
@Suite("The broker's own client", .serialized)
struct ClientRowTests {
    private static let rows =
        ClientRow.completeRows + ClientRow.finalizeRows + ClientRow.chargeRows + ClientRow.permissionRows
        + ClientRow.refundRows + ClientRow.sandboxRows

    @Test(arguments: rows)
    func `understands a row of the service's rules`(row: ClientRow) async throws {
        try await withSimulator { bench in try await row.run(ClientShop(bench)) }
    }
}
