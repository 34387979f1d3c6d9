import EventIO
import Operations
import ServerCore
import Telemetry

extension Application {
    /// Runs until SIGTERM or SIGINT, then drains and stops.
    ///
    /// SIGHUP reads the certificate again.
    ///
    /// - Parameters:
    ///   - companions: Processes without which it cannot go on.
    /// - Throws: `SupervisedProcessEnded` when one of them ends before; the program is stopped then.
    func runUntilTold(_ configuration: Configuration, beside companions: [SupervisedProcess]) async throws {
        reports.tell(.ready)
        do {
            let signal = try await onFirstLoop { reactor in
                let end = await ShutdownSignal.wait(reactor, for: ShutdownSignal.all, beside: companions) { signal in
                    guard signal == .hangUp else { return true }
                    self.reload(configuration)
                    return false
                }
                return try end.get()
            }
            reports.tell(.stopping, "answers what is under way")
            logger.info("server.stopping", [LogField("signal", signal.description)])
        } catch let ended as SupervisedProcessEnded {
            logger.error("server.companion_ended", [LogField("detail", ended.debugDescription)])
            await stop()
            throw ended
        } catch {
            // Without signals the program could only be killed: stop in order while that is still possible.
            logger.error("server.no_signals", [LogField("detail", String(reflecting: error))])
        }
        await stop()
    }

    private func reload(_ configuration: Configuration) {
        reports.tell(.reloading(since: SystemClock().monotonicNow()), "reads its files again")
        defer { reports.tell(.ready) }
        do {
            try reloadCertificate(configuration)
        } catch {
            logger.error("server.certificate_refused", [LogField("detail", String(reflecting: error))])
        }
        features.reload { name, error in
            let fields = [LogField("feature", name), LogField("detail", String(reflecting: error))]
            logger.error("server.feature_not_reloaded", fields)
        }
    }
}
