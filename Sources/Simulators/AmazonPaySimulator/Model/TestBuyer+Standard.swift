extension TestBuyer {
    /// The buyers that come with the simulator: one for each rule about addresses.
    package static let standard: [TestBuyer] = [
        tokyo, hokkaido, okinawa, threeLines, postOfficeBox, abroad, noPhone, careful, looseWriter,
    ]

    private static let tokyo = TestBuyer(
        number: 1,
        email: "tokyo@example.test",
        name: "見本 太郎",
        phoneNumber: "0312345678",
        [
            BookEntry("tokyo", japan("見本 太郎", "東京都", "153-0064", ["目黒区下目黒1-8-1", "見本タワー12階"], "0312345678")),
            BookEntry("hokkaido", japan("見本 太郎", "北海道", "060-0001", ["札幌市中央区北一条西2-1"], "0312345678")),
            BookEntry("okinawa", japan("見本 太郎", "沖縄県", "900-0015", ["那覇市久茂地1-1-1"], "0312345678")),
        ]
    )

    private static let hokkaido = TestBuyer(
        number: 2,
        email: "hokkaido@example.test",
        name: "見本 花子",
        phoneNumber: "0110000000",
        [BookEntry("hokkaido", japan("見本 花子", "北海道", "060-0001", ["札幌市中央区北一条西2-1", "見本ビル4階"], "0110000000"))]
    )

    private static let okinawa = TestBuyer(
        number: 3,
        email: "okinawa@example.test",
        name: "見本 海",
        phoneNumber: "0980000000",
        [BookEntry("okinawa", japan("見本 海", "沖縄県", "900-0015", ["那覇市久茂地1-1-1", "見本荘101"], "0980000000"))]
    )

    private static let threeLines = TestBuyer(
        number: 4,
        email: "threelines@example.test",
        name: "見本 長子",
        phoneNumber: "0612345678",
        [BookEntry("osaka", japan("見本 長子", "大阪府", "530-0001", ["大阪市北区梅田1-1-3", "見本第3ビル", "15階 見本商事気付"], "0612345678"))]
    )

    private static let postOfficeBox = TestBuyer(
        number: 5,
        email: "pobox@example.test",
        name: "見本 箱",
        phoneNumber: "0312340000",
        [
            BookEntry("pobox", japan("見本 箱", "東京都", "100-8994", ["銀座郵便局私書箱第1号"], "0312340000"), isPostOfficeBox: true),
            BookEntry("home", japan("見本 箱", "東京都", "104-0061", ["中央区銀座8-20-26"], "0312340000")),
        ]
    )

    private static let abroad = TestBuyer(
        number: 6,
        email: "abroad@example.test",
        name: "Alex Sample",
        phoneNumber: "+1 206 555 0100",
        [
            BookEntry(
                "seattle",
                PostalAddress(
                    name: "Alex Sample",
                    lines: ["100 Sample Street"],
                    city: "Seattle",
                    stateOrRegion: "WA",
                    postal: ("US", "98101"),
                    phoneNumber: "+1 206 555 0100"
                )
            )
        ]
    )

    private static let noPhone = TestBuyer(
        number: 7,
        email: "nophone@example.test",
        name: "見本 無電",
        phoneNumber: "",
        [BookEntry("kyoto", japan("見本 無電", "京都府", "600-8216", ["京都市下京区烏丸通七条下ル"], ""))]
    )

    private static let careful = TestBuyer(
        number: 8,
        email: "mfa@example.test",
        name: "見本 守",
        phoneNumber: "0521234567",
        [BookEntry("nagoya", japan("見本 守", "愛知県", "450-0002", ["名古屋市中村区名駅1-1-4"], "0521234567"))],
        asksForCode: true
    )

    /// An address book as people fill it in: the region is free text, or missing.
    private static let looseWriter = TestBuyer(
        number: 9,
        email: "spellings@example.test",
        name: "見本 綴",
        phoneNumber: "0980000000",
        [
            ("short", "沖縄", "900-0015"), ("latin", "OKINAWA-KEN", "900-0015"), ("macron", "Hokkaid\u{14D}", "060-0001"),
            ("kana", "おきなわけん", "900-0015"), ("half", "ｵｷﾅﾜ", "900-0015"), ("blanks", "\u{3000}沖縄県 ", "９００－００１５"),
            ("code", "", "900-0015"), ("region", "Okinawa", ""), ("near", "東京都\u{200B}", "153-0064"),
            ("contradiction", "東京都", "900-0015"), ("shared", "", "498-0000"), ("nowhere", "その他", ""),
            ("island", "東京都", "100-2101"),
        ].map { id, region, code in
            BookEntry(id, japan("見本 綴", region, code, ["見本町1-1-1"], "0980000000"))
        }
    )

    private init(
        number: Int,
        email: String,
        name: String,
        phoneNumber: String,
        _ addresses: [BookEntry],
        asksForCode: Bool = false
    ) {
        self.init(
            id: "amzn1.account.AESIMBUYER000000000000000\(number)",
            email: email,
            name: name,
            phoneNumber: phoneNumber,
            addresses: addresses,
            asksForCode: asksForCode
        )
    }

    private static func japan(
        _ name: String,
        _ prefecture: String,
        _ postalCode: String,
        _ lines: [String],
        _ phoneNumber: String
    ) -> PostalAddress {
        PostalAddress(
            name: name,
            lines: lines,
            stateOrRegion: prefecture,
            postal: ("JP", postalCode),
            phoneNumber: phoneNumber
        )
    }
}
