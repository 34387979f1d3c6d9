import AmazonPaySimulator
import StrictJSON
import Testing

extension Row {
    static let refundRows: [Row] =
        [
            Row("refund: on its way, then refunded") { shop in
                let charge = try await shop.charge(in: "Captured")
                let answer = try await shop.refund(charge, 1_000)
                #expect(answer.status == 201)
                #expect(answer.json.state == "RefundInitiated")
                let id = answer.json["refundId"]?.text ?? ""
                try await shop.advance("PT5S")
                #expect(try await shop.get("refunds/" + id).state == "Refunded")
                #expect(try await shop.get("charges/" + charge)[path: "refundedAmount.amount"]?.text == "1000")
            },
            Row("refund: takes as long as the tester says") { shop in
                try await shop.control("POST", "options", ["refundDelay": "PT24H"])
                let charge = try await shop.charge(in: "Captured")
                let id = try await shop.refund(charge).json["refundId"]?.text ?? ""
                try await shop.advance("PT23H")
                #expect(try await shop.get("refunds/" + id).state == "RefundInitiated")
                try await shop.advance("PT1H")
                #expect(try await shop.get("refunds/" + id).state == "Refunded")
            },
            Row("refund: a little more than was captured, 15 %") { shop in
                let charge = try await shop.charge(in: "Captured")
                #expect(try await shop.refund(charge, 10_000).status == 201)
                let tooMuch = try await shop.refund(charge, 1_501)
                #expect(tooMuch.refusal == Refusal(status: 400, reason: "TransactionAmountExceeded"))
                #expect(try await shop.refund(charge, 1_500).status == 201)
            },
            Row("refund: a little more than was captured, 8,400 yen") { shop in
                let permission = try await shop.confirmed()
                let charge = try await shop.charge(permission, 100_000, now: true).json["chargeId"]?.text ?? ""
                let tooMuch = try await shop.refund(charge, 108_401)
                #expect(tooMuch.refusal == Refusal(status: 400, reason: "TransactionAmountExceeded"))
                #expect(try await shop.refund(charge, 108_400).status == 201)
            },
            Row("refund: too many") { shop in
                let charge = try await shop.charge(in: "Captured")
                for _ in 0..<25 { #expect(try await shop.refund(charge, 1).status == 201) }
                let answer = try await shop.refund(charge, 1)
                #expect(answer.refusal == Refusal(status: 422, reason: "TransactionCountExceeded"))
            },
            Row("refund: no latest date") { shop in
                let charge = try await shop.charge(in: "Captured")
                try await shop.advance("P365D")
                #expect(try await shop.refund(charge, 1).status == 201)
            },
            Row("refund: unknown") { shop in
                let answer = try await shop.call("GET", "refunds/S03-0000000-0000000-R000000")
                #expect(answer.refusal == Refusal(status: 404, reason: "ResourceNotFound"))
            },
        ] + ["AmazonRejected", "ProcessingFailure"].map(declined)

    /// A refund that comes back; what it took can be refunded once more.
    private static func declined(_ reason: String) -> Row {
        Row("refund: declined, \(reason)") { shop in
            let charge = try await shop.charge(in: "Captured")
            let id = try await shop.refund(charge, 11_500).json["refundId"]?.text ?? ""
            let full = try await shop.refund(charge, 1)
            #expect(full.refusal == Refusal(status: 400, reason: "TransactionAmountExceeded"))
            try await shop.force("refunds/" + id, "Declined", reason)
            let refund = try await shop.get("refunds/" + id)
            #expect(refund.state == "Declined")
            #expect(refund.stateReason == reason)
            #expect(try await shop.get("charges/" + charge)["refundedAmount"] == nil)
            // Time does not turn it into a refund after all.
            try await shop.advance("PT1H")
            #expect(try await shop.get("refunds/" + id).state == "Declined")
            #expect(try await shop.refund(charge, 11_500).status == 201)
        }
    }
}
