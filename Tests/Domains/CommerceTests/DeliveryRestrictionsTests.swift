import Commerce
import Primitives
import Testing

@Suite("The restrictions of a delivery")
struct DeliveryRestrictionsTests {
    private static func address(_ region: String?, _ code: String? = nil, _ country: String? = "JP") -> Address {
        var address = Address()
        address[.stateOrRegion] = region
        address[.postalCode] = code
        address[.countryCode] = country
        return address
    }

    @Test(
        arguments: [
            ("東京都", "153-0064", "JP", true, true), ("OKINAWA-KEN", nil, "JP", false, false),
            (nil, "900-0015", "JP", false, false),
            ("沖縄県", "900-0015", nil, false, false),
            // In doubt: the provider has compared it as it is spelled.
            ("東京都", "900-0015", "JP", true, true), ("その他", nil, "JP", true, true), (nil, nil, nil, true, true),
            ("WA", "98101", "US", false, false), ("沖縄県", "900-0015", "US", false, false),
            ("東京都", nil, "TW", false, false),
        ] as [(String?, String?, String?, Bool, Bool)]
    )
    func `leave out what is abroad, and a prefecture in any spelling`(
        region: String?,
        code: String?,
        country: String?,
        isAllowed: Bool,
        isNotExcluded: Bool
    ) throws {
        let address = Self.address(region, code, country)
        let allowed = try #require(DeliveryRestrictions(.allowed, prefectures: [.tokyo, .osaka], postalCodes: []))
        let excluded = try #require(DeliveryRestrictions(.notAllowed, prefectures: [.okinawa], postalCodes: []))
        #expect(allowed.admits(address) == isAllowed && excluded.admits(address) == isNotExcluded)
    }

    @Test func `leave postal codes to the provider`() throws {
        let allowed = try #require(DeliveryRestrictions(.allowed, prefectures: [.tokyo], postalCodes: ["53*"]))
        let excluded = try #require(DeliveryRestrictions(.notAllowed, prefectures: [], postalCodes: ["100-21*"]))
        #expect(allowed.admits(Self.address("大阪府", "530-0001")) && excluded.admits(Self.address("東京都", "100-2101")))
        #expect(
            !allowed.admits(Self.address("WA", "98101", "US")) && !excluded.admits(Self.address("WA", "98101", "US"))
        )
    }

    @Test(arguments: ["100-2101", "1002101", "1*", "100*", "100-*", "100-21*", "100210*"])
    func `name a postal code, or the beginning of one`(code: String) {
        #expect(DeliveryRestrictions(.allowed, prefectures: [], postalCodes: [code])?.postalCodes == [code])
    }

    @Test(arguments: [
        "", "*", "100", "100-210", "10-02101", "100-21011", "1*0", "100-2101*", "1002101*", "１００*", "100 2101", "-*",
    ])
    func `name nothing else`(code: String) {
        #expect(DeliveryRestrictions(.allowed, prefectures: [.tokyo], postalCodes: [code]) == nil)
    }

    @Test func `name something, and not too much`() {
        #expect(DeliveryRestrictions(.notAllowed, prefectures: [], postalCodes: []) == nil)
        let codes = Array(repeating: "1*", count: 101)
        #expect(DeliveryRestrictions(.notAllowed, prefectures: [], postalCodes: codes) == nil)
        #expect(
            DeliveryRestrictions(.notAllowed, prefectures: Prefecture.allCases, postalCodes: Array(codes.dropLast()))
                != nil
        )
    }

    @Test func `know each prefecture by its whole name in kanji`() {
        for prefecture in Prefecture.allCases { #expect(Prefecture(kanji: prefecture.kanji.octets) == prefecture) }
        #expect(
            Prefecture.hokkaido.kanji == "北海道" && Prefecture.kyoto.kanji == "京都府" && Prefecture.tokyo.kanji == "東京都"
        )
        for other in ["東京", "Tokyo", "とうきょうと", "JP-13", ""] { #expect(Prefecture(kanji: other.octets) == nil) }
    }
}
