import Testing

@Suite("The broker's own client")
struct ClientRowTests {
    private static let rows =
        ClientRow.completeRows + ClientRow.finalizeRows + ClientRow.chargeRows + ClientRow.permissionRows
        + ClientRow.refundRows + ClientRow.sandboxRows

    @Test(arguments: rows)
    func `understands a row of the service's rules`(row: ClientRow) async throws {
        try await withSimulator { bench in try await row.run(ClientShop(bench)) }
    }
}
