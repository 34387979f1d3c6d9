import FoundationEssentials
import Primitives
import SimulatorCore
import StrictJSON

/// What a simulator knows from one run to the next: objects, money, idempotency keys and the distance of its clock.
///
/// Visits, faults, snapshots and the log of calls end with the run; options start as they are set.
private struct SimulatorMemory: Codable {
    let engine: MoneyEngine
    let idempotency: IdempotencyTable
    let clock: SimulatedClock
}

extension AmazonPayModel {
    /// What is to be known in the next run.
    ///
    /// - Returns: JSON, of this version of the program.
    /// - Throws: `EncodingError`.
    package func remember() throws -> [UInt8] {
        let memory = SimulatorMemory(engine: engine, idempotency: idempotency.withoutRunning, clock: clock)
        return Array(try JSONEncoder().encode(memory))
    }

    /// Takes over what a former run knew; ids go on from this run's seed.
    ///
    /// - Parameter bytes: What `remember` gave.
    /// - Throws: `DecodingError`; nothing has changed then.
    package mutating func recall(_ bytes: [UInt8]) throws {
        let memory = try JSONDecoder().decode(SimulatorMemory.self, from: Data(bytes))
        let (mint, delay) = (engine.mint, engine.bankDelay)
        (engine, idempotency, clock) = (memory.engine, memory.idempotency, memory.clock)
        (engine.mint, engine.bankDelay) = (mint, delay)
    }
}
