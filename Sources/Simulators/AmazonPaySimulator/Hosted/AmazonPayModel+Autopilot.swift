extension AmazonPayModel {
    /// What the buyer who answers by itself fills in at a step; `nil` where a person has to.
    func autopilotForm(at place: HostedVisit.Place, _ visit: HostedVisit) -> [String: String]? {
        guard let autopilot = visit.autopilot else { return nil }
        switch place {
        case .signIn:
            let email = owner(of: visit)?.email ?? autopilot.email ?? configuration.buyers.first?.email
            return ["action": "signin", "buyer": email ?? ""]
        case .code: return autopilot.answers.contains(.code) ? ["action": "confirm", "code": "123456"] : nil
        case .consent: return autopilot.answers.contains(.consent) ? ["action": "agree"] : nil
        case .bank: return autopilot.answers.contains(.bank) ? ["action": "confirm", "code": "123456"] : nil
        case .select: return selectForm(autopilot, visit)
        case .processing: return nil
        }
    }

    private func selectForm(_ autopilot: NextBuyer, _ visit: HostedVisit) -> [String: String]? {
        guard let buyer = visit.buyer else { return nil }
        let offer = offer(visit, buyer)
        let before = session(of: visit)?.choice
        let address = offer.addresses.first { $0.eligibility == .allowed }?.entry.id
        var form = ["action": "continue"]
        form["addressId"] = autopilot.addressID ?? address
        form["cardId"] = autopilot.cardID ?? before?.card.id ?? offer.cards.first?.id
        return form
    }
}
