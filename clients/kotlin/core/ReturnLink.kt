package sallyport.client

/**
 * The link that brings the buyer back: checked for its form, and not yet for the checkout that it belongs to.
 *
 * @property returnTicket `swc_` and 64 characters: worth nothing without what the app or its server has kept.
 * @property launchTicket the ticket that this checkout was started with.
 * @property accessToken the word `sealed`, or a token of the provider.
 * @property orderReferenceId the provider's checkout session.
 */
class ReturnLink private constructor(
    val returnTicket: String,
    val launchTicket: LaunchTicket,
    val accessToken: String,
    val orderReferenceId: String
) {
    /**
     * The values of a link.
     *
     * @property text its name in the link.
     */
    enum class Parameter(val text: String) {
        /** The ticket that completes the purchase. */
        RETURN_TICKET("secureWebviewSessionId"),

        /** The ticket that the tab was opened with. */
        LAUNCH_TICKET("old_secureWebviewSessionId"),

        /** The provider's token, sealed. */
        ACCESS_TOKEN("accessToken"),

        /** The provider's checkout session. */
        ORDER_REFERENCE_ID("orderReferenceId")
    }

    /** Without what is secret. */
    override fun toString(): String = "the return link of $orderReferenceId"

    companion object {
        /** The one path that opens the app. */
        const val path = "/index.html"

        /** More than any link needs; what is longer is not looked at. */
        private const val most = 4096

        /**
         * Takes a link apart.
         *
         * @param text as the system hands it over.
         * @param configuration where links come from.
         * @throws ReturnLinkException the reason why it is none.
         */
        @JvmStatic
        fun parse(text: String, configuration: CheckoutConfiguration): ReturnLink {
            if (text.length > most || !text.all { it in '!'..'~' && it != '\\' }) refuse(RefusalReason.MALFORMED_URL)
            // Nothing here is lenient: a link that two readers understand in two ways is none.
            val mark = text.indexOf("://")
            if (mark < 0) refuse(RefusalReason.MALFORMED_URL)
            if (Token.small(text.substring(0, mark)) != "https") refuse(RefusalReason.FOREIGN_SCHEME)
            val rest = text.substring(mark + 3)
            if ('#' in rest) refuse(RefusalReason.FRAGMENT)
            val authority = rest.takeWhile { it != '/' && it != '?' }
            if ('@' in authority) refuse(RefusalReason.USER_INFO)
            val origin = Origin.parse("https://$authority") ?: refuse(RefusalReason.MALFORMED_URL)
            if (origin.host != configuration.link.host) refuse(RefusalReason.FOREIGN_HOST)
            if (origin.port != configuration.link.port) refuse(RefusalReason.FOREIGN_PORT)
            val target = rest.substring(authority.length)
            if (target.substringBefore('?') != path) refuse(RefusalReason.FOREIGN_PATH)
            return of(values(target.substringAfter('?', "")))
        }

        private fun of(values: Map<Parameter, String>): ReturnLink {
            val ticket = value(Parameter.RETURN_TICKET, values) { Token.isToken(it, "swc_") }
            val old = value(Parameter.LAUNCH_TICKET, values) { Token.isToken(it, "swa_") }
            val launch = LaunchTicket.parse(old) ?: refuse(RefusalReason.MALFORMED_PARAMETER, Parameter.LAUNCH_TICKET)
            val token = value(Parameter.ACCESS_TOKEN, values) { Token.isText(it.replace("%7C", "|"), 2048, "_.|~-") }
            val order = value(Parameter.ORDER_REFERENCE_ID, values) { Token.isText(it, 64, "-") }
            if (!Token.sameSession(ticket, old)) refuse(RefusalReason.OTHER_SESSION)
            return ReturnLink(ticket, launch, token.replace("%7C", "|"), order)
        }

        private fun values(query: String): Map<Parameter, String> {
            val values = HashMap<Parameter, String>()
            for (item in query.split('&')) {
                val name = item.substringBefore('=')
                val parameter = Parameter.values().firstOrNull { it.text == name } ?: continue
                if (values.put(parameter, item.substringAfter('=', "")) != null) refuse(RefusalReason.REPEATED_PARAMETER, parameter)
            }
            return values
        }

        private fun value(parameter: Parameter, values: Map<Parameter, String>, isRight: (String) -> Boolean): String {
            val value = values[parameter] ?: refuse(RefusalReason.MISSING_PARAMETER, parameter)
            return if (isRight(value)) value else refuse(RefusalReason.MALFORMED_PARAMETER, parameter)
        }

        private fun refuse(reason: RefusalReason, parameter: Parameter? = null): Nothing = throw ReturnLinkException(reason, parameter)
    }
}

/** Why a link into the app was not taken. */
enum class RefusalReason {
    /** Not an address. */
    MALFORMED_URL,

    /** Another scheme than https: any app may claim that. */
    FOREIGN_SCHEME,

    /** Another host than that of the return links. */
    FOREIGN_HOST,

    /** Another port. */
    FOREIGN_PORT,

    /** Another path than `/index.html`. */
    FOREIGN_PATH,

    /** A user or a password in front of the host. */
    USER_INFO,

    /** Something behind `#`. */
    FRAGMENT,

    /** A value is not there. */
    MISSING_PARAMETER,

    /** A value is there twice. */
    REPEATED_PARAMETER,

    /** A value is not of its form. */
    MALFORMED_PARAMETER,

    /** No checkout is under way in this app. */
    NO_CHECKOUT,

    /** The link belongs to a checkout that this app has not started, to an older one, or comes while another of the same tab is decided. */
    OTHER_CHECKOUT,

    /** Its two tickets belong to two sessions. */
    OTHER_SESSION,

    /** The link was received before. */
    REPLAYED,

    /** The checkout was started too long ago. */
    LATE
}

/**
 * A link into the app was not taken. A checkout that is under way is as it was.
 *
 * @property reason why.
 * @property parameter which value of the link, where it is about one.
 */
class ReturnLinkException internal constructor(val reason: RefusalReason, val parameter: ReturnLink.Parameter? = null) :
    Exception(if (parameter == null) reason.name else reason.name + " " + parameter.text)
