import MerchantAPI
import Testing
import Web

@testable import Merchant
@testable import Program

@Suite struct `The table of the merchants' routes` {
    @Test func `tells of every code that an answer may have`() {
        let told = Set(MerchantRouteTable.all.flatMap { OpenAPIDocument.problems(of: $0.description) })
        #expect(FailureCode.ofMerchantAPI.filter { !told.contains($0) } == [])
    }
}
