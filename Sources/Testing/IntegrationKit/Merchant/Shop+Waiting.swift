import Program
import TestKit

/// Something that a test waited for did not come.
package struct NeverHappened: Error, CustomStringConvertible {
    /// What was waited for.
    package let description: String
}

extension Shop {
    /// Waits, round by round of the broker's periodic work, until something holds; the shop's `jobPause` must be short.
    package func wait(for what: String, _ holds: () async throws -> Bool) async throws {
        let patience = Patience()
        while patience.isLeft {
            if try await holds() { return }
            await broker.nextJobRuns()
        }
        throw NeverHappened(description: what)
    }

    /// A purchase that was paid.
    package func paid() async throws -> (webviewSession: String, charge: String, permission: String) {
        let shopper = try await shopper()
        let answer = try await shopper.purchase(try await shopper.toReturn())
        guard answer.status == 200 else { throw NeverHappened(description: "a purchase: \(answer.text)") }
        let charge = try value(
            "SELECT charge FROM webview_session WHERE webview_session_id = $1",
            [shopper.webviewSession]
        )
        return (shopper.webviewSession, charge, String(charge.prefix(19)))
    }

    /// The state of an object in the ledger.
    ///
    /// - Returns: Empty where the ledger does not have it.
    package func ledger(_ object: String) throws -> String {
        try value("SELECT state FROM payment_object WHERE object_id = $1", [object])
    }
}
