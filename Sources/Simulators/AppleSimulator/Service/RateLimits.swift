import Primitives

/// How many requests of each call have come in the present second, by the real clock.
struct RateLimits: Sendable {
    private struct Key: Hashable {
        let operation: APIOperation
        let environment: StoreEnvironment
    }

    private var second: Int64 = 0
    private var counts: [Key: Int] = [:]

    /// Counts a request, of which the sandbox takes a tenth as many; `false` where it is one too many.
    mutating func take(_ route: APIRoute, at time: WallTime) -> Bool {
        if time.seconds != second { (second, counts) = (time.seconds, [:]) }
        let key = Key(operation: route.operation, environment: route.environment)
        counts[key, default: 0] += 1
        let limit = route.operation.limit
        return counts[key, default: 0] <= (route.environment == .production ? limit : max(1, limit / 10))
    }
}
