import Primitives
import ServerCore
import StrictJSON
import Web

/// What all loops share of the interface for merchants' programs and apps.
final class ServiceDeployment: Sendable {
    /// How often its clients may ask.
    let limits: ServiceLimits
    /// Missing and unknown keys by address.
    let keyMisses: AddressRateLimit
    /// Missing and unknown tokens by address.
    let tokenMisses: AppTokenMisses
    /// The fields of answers to requests that no limit has counted.
    let fields: AnswerFields
    private let process: ProcessContext
    private let document = Lock<FixedAnswer?>(nil)

    init(requestsPerMinute: Int, accountsPerMinute: Int, _ process: ProcessContext) {
        self.process = process
        limits = ServiceLimits(
            perMinute: requestsPerMinute,
            accountsPerMinute: accountsPerMinute,
            process.headers
        )
        keyMisses = AddressRateLimit(perMinute: process.unknownPerMinute)
        tokenMisses = AppTokenMisses(perMinute: process.unknownPerMinute)
        fields = AnswerFields(process.headers)
    }

    /// The description of routes, which are the same on every loop.
    func document(of features: [DescribedRoutes]) -> FixedAnswer {
        document.withLock { document in
            if let document { return document }
            let json = OpenAPIDocument(features).json(server: process.web.text, version: process.version)
            let answer = FixedAnswer(json.bytes, block: process.headers.taggedJSON)
            document = answer
            return answer
        }
    }
}
