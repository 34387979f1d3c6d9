import Primitives

/// Names and values of pass.json that the format knows.
enum PassFormat {
    typealias Words = Set<OctetText>

    static let fieldGroups: Words = [
        "headerFields", "primaryFields", "secondaryFields", "auxiliaryFields", "backFields", "additionalInfoFields",
        "footerFields",
    ]

    /// The style of newer systems, which stands beside one of the others.
    static let poster = "posterGeneric"

    static let members: Words = PassFormat.words(
        """
        addOnURL appLaunchURL associatedStoreIdentifiers auxiliaryStoreIdentifiers authenticationToken backgroundColor barcode barcodes
        beacons boardingPass coupon description eventLogoText eventTicket expirationDate featuredActions footerBackgroundColor
        foregroundColor formatVersion generic groupingIdentifier labelColor locations logoText maxDistance nfc organizationName
        passTypeIdentifier posterGeneric preferredStyleSchemes relevantDate relevantDates semantics serialNumber sharingProhibited
        storeCard stripColor suppressHeaderDarkening suppressStripShine teamIdentifier upcomingPassInformation useAutomaticColors
        userInfo voided webServiceURL
        """
    ).union(addresses)

    /// Members with an address or a number of somebody: texts.
    static let addresses: Words = PassFormat.words(
        """
        accessibilityURL addOnURL bagPolicyURL contactVenueEmail contactVenuePhoneNumber contactVenueWebsite directionsInformationURL
        merchandiseURL orderFoodURL parkingInformationURL purchaseParkingURL sellURL transferURL transitInformationURL changeSeatURL
        entertainmentURL managementURL purchaseAdditionalBaggageURL purchaseLoungeAccessURL purchaseWifiURL registerServiceAnimalURL
        reportLostBagURL requestWheelchairURL trackBagsURL upgradeURL transitProviderEmail transitProviderPhoneNumber
        transitProviderWebsiteURL appLaunchURL
        """
    )

    /// Members that are texts where they are present, in order.
    static let texts = ["logoText", "eventLogoText"] + addresses.map(\.string).sorted()

    static let flags = [
        "sharingProhibited", "voided", "suppressStripShine", "suppressHeaderDarkening", "useAutomaticColors",
    ]
    static let colors = [
        "backgroundColor", "foregroundColor", "labelColor", "footerBackgroundColor", "stripColor",
    ]

    static let fieldMembers: Words = PassFormat.words(
        """
        attributedValue changeMessage currencyCode dataDetectorTypes dateStyle ignoresTimeZone isRelative key label numberStyle
        textAlignment timeStyle value semantics row
        """
    )

    private static let dateStyles: Words = PassFormat.words(
        "PKDateStyleNone PKDateStyleShort PKDateStyleMedium PKDateStyleLong PKDateStyleFull"
    )

    /// Members of fields with one word out of several.
    static let choices: [(name: String, words: Words)] = [
        (
            "textAlignment",
            PassFormat.words("PKTextAlignmentLeft PKTextAlignmentCenter PKTextAlignmentRight PKTextAlignmentNatural")
        ),
        ("dateStyle", dateStyles), ("timeStyle", dateStyles),
        (
            "numberStyle",
            PassFormat.words(
                "PKNumberStyleDecimal PKNumberStylePercent PKNumberStyleScientific PKNumberStyleSpellOut"
            )
        ),
    ]

    static let detectors: Words = PassFormat.words(
        "PKDataDetectorTypePhoneNumber PKDataDetectorTypeLink PKDataDetectorTypeAddress PKDataDetectorTypeCalendarEvent"
    )

    static let transitTypes: Words = PassFormat.words(
        "PKTransitTypeAir PKTransitTypeBoat PKTransitTypeBus PKTransitTypeGeneric PKTransitTypeTrain"
    )

    static let oldBarcodes: Words = PassFormat.words(
        "PKBarcodeFormatQR PKBarcodeFormatPDF417 PKBarcodeFormatAztec"
    )

    static let barcodes: Words = oldBarcodes.union(
        PassFormat.words(
            "PKBarcodeFormatCode128 PKBarcodeFormatCode39 PKBarcodeFormatCodabar PKBarcodeFormatEAN13 PKBarcodeFormatI2of5"
        )
    )

    static let styleSchemes: Words = PassFormat.words("posterEventTicket eventTicket semanticBoardingPass boardingPass")

    /// Numbers wherever they stand; a placeholder with a whole number becomes one there.
    static let numbers: Words = PassFormat.words(
        "value altitude latitude longitude maxDistance major minor duration flightNumber"
    )

    static func words(_ text: String) -> Words {
        Words(text.utf8.split { $0 == 0x20 || $0 == 0x0A }.map { OctetText(String(Substring($0))) })
    }
}

/// Tags of machine-readable facts by the type of their values.
enum SemanticTag {
    static let texts = PassFormat.words(
        """
        admissionLevel admissionLevelAbbreviation additionalTicketAttributes airlineCode attendeeName awayTeamAbbreviation
        awayTeamLocation awayTeamName homeTeamAbbreviation homeTeamLocation homeTeamName boardingGroup boardingSequenceNumber
        boardingZone carNumber confirmationNumber departureAirportCode departureAirportName departureCityName departureGate
        departureLocationDescription departureLocationTimeZone departurePlatform departureStationName departureTerminal
        destinationAirportCode destinationAirportName destinationCityName destinationGate destinationLocationDescription
        destinationLocationTimeZone destinationPlatform destinationStationName destinationTerminal entranceDescription
        eventLiveMessage eventName eventType flightCode genre internationalDocumentsVerifiedDeclarationName leagueAbbreviation
        leagueName membershipProgramName membershipProgramNumber membershipProgramStatus priorityStatus securityScreening sportName
        ticketFareClass transitProvider transitStatus transitStatusReason vehicleName vehicleNumber vehicleType venueEntrance
        venueEntranceDoor venueEntranceGate venueEntrancePortal venueName venuePhoneNumber venueRegionName venueRoom
        """
    )

    static let dates = PassFormat.words(
        """
        currentArrivalDate currentBoardingDate currentDepartureDate originalArrivalDate originalBoardingDate originalDepartureDate
        eventStartDate eventEndDate venueBoxOfficeOpenDate venueCloseDate venueDoorsOpenDate venueFanZoneOpenDate
        venueGatesOpenDate venueOpenDate venueParkingLotsOpenDate
        """
    )

    static let numbers = PassFormat.words("duration flightNumber")
    static let flags = PassFormat.words("internationalDocumentsAreVerified silenceRequested tailgatingAllowed")

    static let lists = PassFormat.words(
        """
        albumIDs artistIDs playlistIDs performerNames loungePlaceIDs passengerAirlineSSRs passengerInformationSSRs
        passengerServiceSSRs passengerCapabilities passengerEligibleSecurityPrograms departureLocationSecurityPrograms
        destinationLocationSecurityPrograms seats wifiAccess airplay
        """
    )

    static let money = PassFormat.words("balance totalPrice")
    static let locations = PassFormat.words("departureLocation destinationLocation venueLocation")
    static let objects = PassFormat.words("passengerName eventStartDateInfo")

    static let eventTypes = PassFormat.words(
        """
        PKEventTypeGeneric PKEventTypeLivePerformance PKEventTypeMovie PKEventTypeSports PKEventTypeConference
        PKEventTypeConvention PKEventTypeWorkshop PKEventTypeSocialGathering
        """
    )
}
