import SimulatorCore

extension TestBuyer {
    /// What the buyer is there for, in plain words: what is special about the account, or where its addresses are.
    func role(_ language: HostedLanguage) -> String {
        if asksForCode { return language.text("ログインに確認コードが必要", "needs a one-time code to sign in") }
        if phoneNumber.isEmpty { return language.text("電話番号の登録なし", "has no phone number") }
        if addresses.contains(where: \.isPostOfficeBox) { return language.text("私書箱の住所あり", "has a post office box") }
        if addresses.count > 5 { return language.text("さまざまな書き方の住所", "has addresses in many spellings") }
        if addresses.contains(where: { $0.address.countryCode != "JP" }) {
            return language.text("海外の住所", "lives outside Japan")
        }
        if addresses.contains(where: { $0.address.lines.count > 2 }) {
            return language.text("3行の住所", "has an address of three lines")
        }
        let places = addresses.compactMap(\.address.stateOrRegion)
        return language.text("お届け先: ", "addresses: ")
            + places.joined(separator: language.text("、", ", "))
    }
}
