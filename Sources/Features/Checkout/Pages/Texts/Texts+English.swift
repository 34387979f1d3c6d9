import Pages

extension Texts {
    static let english = Texts(
        language: .en,
        frame: FrameTexts(
            steps: "Steps of your purchase",
            stepCart: "Cart",
            stepPayment: "Payment",
            stepConfirm: "Review",
            stepDone: "Done",
            demonstration: "Demonstration: nothing is charged and nothing is shipped.",
            footer: "You pay on Amazon Pay's own secure pages. We never see your card number.",
            backToCart: "Back to the cart",
            backToApp: "To return to the app, close this page with Done or ✕.",
            backToSite: "To return to the shop, close this page.",
            backSomewhere: "If you came from an app or a shop, close this page with Done or ✕ and return there.",
            backToShop: "Back to the shop",
            toReceipt: "See your receipt",
            reference: "Reference",
            scriptNeeded: "This page needs JavaScript. Please allow it in your browser's settings and reload.",
            policy: { $0.english }
        ),
        start: StartTexts(
            heading: "A checkout that leaves the app and comes back",
            lead:
                "An app shows the cart in a web view; Amazon Pay needs a real browser. This server takes the purchase across and back.",
            steps: [
                "The cart asks for a ticket, and the app opens it in a secure tab. The ticket works once.",
                "In the tab the buyer signs in at Amazon Pay, chooses address and card, and checks the order.",
                "A link opens the app again. Only there, with the app's own proof, is the order placed.",
            ],
            note:
                "Amazon Pay is a simulator here. The two carts of apps need an app around them, or scripts/walkthrough; the one for browsers works as it is.",
            browser: "Cart in a browser",
            iosApp: "Cart of the iOS app",
            androidApp: "Cart of the Android app"
        ),
        order: OrderTexts(
            heading: "Your order",
            item: "Item",
            quantity: "Qty",
            lineTotal: "Amount",
            subtotal: "Subtotal",
            tax: "Consumption tax",
            postage: "Shipping",
            total: "Total to pay (tax included)",
            undecided: "-",
            withTax: "with tax",
            withoutTax: "before tax",
            reducedMark: "※",
            reducedLegend: "※ Taxed at the reduced rate of 8%.",
            rate: { $0.english },
            taxOpening: "(incl. tax ",
            taxClosing: ")",
            registration: "Registration number",
            destination: "Deliver to",
            recipient: "Recipient",
            postalCode: "Postal code",
            address: "Address",
            phone: "Phone",
            payment: "Payment method",
            paymentTime: "When you pay",
            delivery: "Delivery",
            returns: "Cancellation and returns"
        ),
        cart: CartTexts(
            title: "Cart",
            heading: "Your cart",
            lead: "Choose how many, then continue with Amazon Pay.",
            more: ": one more",
            less: ": one less",
            subtotal: "Items",
            subtotalNote: "(incl. tax)",
            buy: "Check out with Amazon Pay",
            assurance:
                "Use the addresses and cards of your Amazon account. Nothing is ordered before you confirm on the last page.",
            notANumber: "Please enter whole numbers.",
            nothingChosen: "Please choose at least one article.",
            tooMany: "At most 99.",
            opening: "Opening the payment page…",
            stillOpening: "Still opening the payment page. Please wait a moment…",
            failed: "There is no connection. Please check your network and try again.",
            limited: "There are too many requests. Please wait a moment and try again.",
            bridgeMissing: "Please open this page inside the app."
        ),
        completion: .english,
        button: ButtonTexts(
            title: "To payment",
            heading: "Payment with Amazon Pay",
            lead: "The page changes by itself in a moment.",
            manual: "Continue to Amazon Pay",
            manualNote: "If the page does not change, please use the button below.",
            slow: "The Amazon Pay button could not be loaded. Please check your network and try again.",
            reload: "Load again",
            withoutScript: "The Amazon Pay button needs JavaScript.",
            postageNote: "Shipping and total are shown once you have chosen an address."
        ),
        open: OpenTexts(
            title: "To payment",
            heading: "Opening the payment page",
            automatic: "The page changes by itself. If it does not, please use the button.",
            tap: "If you started a purchase in the app, please continue here. If you did not, please close this page.",
            proceed: "Continue to payment"
        ),
        confirm: ConfirmTexts(
            title: "Review your order",
            heading: "Review your order",
            lead: "Please check everything, then go on with the button.",
            changeAddress: "Change address",
            changePayment: "Change payment method",
            noPayment: "Chosen at Amazon Pay",
            note: "From the shop:",
            app: ConfirmTexts.Agreement(
                button: "Continue to Amazon Pay",
                note: "Amazon Pay checks the payment next. Your order is placed once you are back in the app."
            ),
            site: ConfirmTexts.Agreement(
                button: "Continue to Amazon Pay",
                note: "Amazon Pay checks the payment next. Your order is placed once you are back in the shop."
            ),
            browser: ConfirmTexts.Agreement(
                button: "Place the order",
                note: "Amazon Pay checks the payment next and may ask who you are. Then your order is placed."
            ),
            sending: "Sending…",
            readOnly: "Your order is being completed. Nothing can be changed here now.",
            reload: "Show the latest state",
            returnLead: "To complete your order you go back to the app first. You are not charged yet.",
            returnLink: "Return to the app to confirm",
            cancel: "Cancel",
            cancelQuestion: "Cancel this purchase? You will not be charged.",
            cancelForGood: "Cancel this purchase",
            undeliverableHeading: "Please choose another address",
            undeliverable: "The shop does not deliver to this address."
        ),
        result: .english,
        thanks: ThanksTexts(
            title: "Thank you",
            heading: "Thank you for your order.",
            lead: "We have received your order. Please give this number if you contact us.",
            orderNumber: "Order number",
            date: "Date of order",
            keep:
                "This page is shown for a short time. Please print it or write the number down. Mails and invoices of the shop come separately."
        ),
        canceled: CanceledTexts(
            title: "Checkout cancelled",
            heading: "You have not been charged",
            lead: "The checkout at Amazon Pay was cancelled.",
            cartKept: "Your cart is unchanged.",
            retry: "Go to payment again",
            cancelForGood: "Cancel this purchase",
            endedHeading: "Your purchase is cancelled",
            endedLead: "You have not been charged. You can close this page."
        ),
        declined: DeclinedTexts(
            title: "Payment declined",
            heading: "The payment did not go through",
            lead: "Amazon Pay declined the payment. You have not been charged. Please try another payment method.",
            retry: "Try another payment method"
        ),
        errors: ErrorTexts(
            toConfirm: "Back to the order page",
            toButton: "Go to payment again",
            toAddress: "Choose another address",
            toResult: "Show how things stand"
        ),
        neutral: NoticeTexts(
            title: "This page has expired",
            heading: "This page has expired",
            lead:
                "The purchase is finished or has run out of time, so it cannot go on from here. No new charge will be made.",
            steps: [
                "If you came from an app, close this page with Done or ✕ and return to it.",
                "If you have ordered already, there is nothing more to do. The shop's app or page shows what has become of your order.",
                "If you have not ordered yet, you can start again from the cart.",
            ]
        ),
        cookies: NoticeTexts(
            title: "Please open in your browser",
            heading: "This browser cannot continue",
            lead:
                "Cookies are blocked, the page is open inside another app, or the checkout ended some time ago. If your order was not completed, you are not charged.",
            steps: [
                "If you have ordered already, there is nothing more to do. The shop's app or page shows what has become of your order.",
                "If you are inside a social or mail app, use its menu to open the page in Safari or Chrome.",
                "Allow cookies in your browser's settings.",
                "If you have not ordered yet, start again from the app or the cart then.",
            ]
        ),
        link: LinkTexts(
            title: "Return to the app",
            heading: "The app did not open",
            lead: "Usually the app opens before this page does. Here is how to get back to it.",
            rescue: "Show how to return",
            steps: [
                "Use the button above, then tap “Return to the app”.",
                "Check that the app is installed on this device and up to date.",
                "If the app was reinstalled, or this is another device, and you have not ordered yet, start again from the cart in the app.",
            ],
            charge: "Your order is completed only in the app. Until then you are not charged.",
            appStore: "The app in the App Store",
            googlePlay: "The app in Google Play"
        )
    )
}

extension CompletionTexts {
    static let english = CompletionTexts(
        workingTitle: "Completing your order",
        working: "Please wait and keep this page open. You will not be charged twice.",
        waitingTitle: "Checking your payment",
        waiting: "We are waiting for Amazon Pay. This page checks again automatically. You will not be charged twice.",
        stillWaiting: "There is no answer yet. Please check again in a moment. You will not be charged twice.",
        check: "Check again",
        offlineTitle: "There is no connection",
        offline: "Please check your network and try again. However often you try, you will not be charged twice.",
        retry: "Try again",
        continueTitle: "Back to the payment page",
        continueText: "Your app is confirmed. Please go on in the secure page; if it does not open, use the button.",
        continueButton: "Open the page",
        doneTitle: "Your order is complete",
        done: "Your receipt is being shown.",
        showReceipt: "Show the receipt",
        declinedTitle: "The payment did not go through",
        declined:
            "The payment was declined. You have not been charged. Please try another payment method from the cart.",
        proofTitle: "This purchase could not be confirmed",
        proof:
            "It was started on another device or in another browser. If your order was not completed, you are not charged, and you can start again from the cart.",
        endedTitle: "Out of time",
        ended:
            "This purchase has ended. If your order was not completed, you are not charged, and you can start again from the cart.",
        changedTitle: "Your order does not match",
        changed:
            "The amount or the order is not the one you saw. If your order was not completed, you are not charged, and you can start again from the cart.",
        failedTitle: "Something went wrong",
        failed:
            "Please try again: you will not be charged twice. If that does not help, ask the shop before you order again.",
        back: "Back to the cart"
    )
}

extension ResultTexts {
    static let english = ResultTexts(
        title: "Payment check",
        openHeading: "Your order is not placed yet",
        appLead: "Your payment is ready. Return to the app, and your order is placed there.",
        returnLink: "Return to the app",
        appNote: "You are not charged before you return.",
        siteLead: "Your payment is ready. Return to the shop, and your order is placed there.",
        siteLink: "Return to the shop",
        siteNote: "You are not charged before you return.",
        browserHeading: "Completing your order",
        browserLead: "The page changes by itself. If it does not, use the button: you will not be charged twice.",
        complete: "Complete the order",
        rescueTitle: "How to return to the app",
        rescueHeading: "How to return to the app",
        rescueLead: "Use this button to return to the app in which you started.",
        rescueClosed:
            "This browser has no link to the app. The order is completed, the checkout has ended, or it was started in another browser.",
        rescueClosedSteps: [
            "Open the app yourself: it shows whether your order is complete. If it is, there is nothing more to do.",
            "If the page with “Return to the app” is still open in another window or browser, go back to it and tap the button there.",
            "If you have not ordered yet, close this page and start again from the cart in the app.",
        ],
        steps: "If that does not work",
        stepTap: "Tap the button once, lightly.",
        stepHold: "If a page opens instead, hold the button and choose to open it in the app.",
        stepClose: "If you still cannot return, close this page and start again from the cart in the app.",
        stepCharge: "You are not charged before you return to the app.",
        completingNote: "Your order is being completed in the app. You will not be charged twice.",
        siteCompletingNote: "Your order is being completed in the shop. You will not be charged twice."
    )
}
