import Primitives
import SimulatorCore

/// The state of a simulator at some time: objects, money, idempotency keys, faults, visits, clock.
///
/// A value, so keeping it costs little.
package struct Snapshot: Sendable {
    let switches: SimulatorSwitches
    let engine: MoneyEngine
    let idempotency: IdempotencyTable
    let throttle: RequestRateLimiter
    let faults: FaultQueue
    let pages: HostedPageState

    /// The present state.
    init(_ model: AmazonPayModel) {
        switches = model.switches
        engine = model.engine
        idempotency = model.idempotency.withoutRunning
        throttle = model.throttle
        faults = model.faults
        pages = model.pages
    }
}
