package sallyport.client

/**
 * A shop's server that speaks as the samples in `examples/server` do.
 *
 * @param base scheme https, host, and possibly a path; http is taken for this very machine only.
 * @param transport how it is reached.
 * @param login the token of the buyer's login, asked for with each call.
 * @throws ConfigurationException where the base cannot be used.
 */
class HttpMerchantServer @JvmOverloads constructor(
    base: String,
    private val transport: Transport = HttpUrlConnectionTransport(),
    private val login: () -> String
) : MerchantServer {
    private val base = address(base)

    override fun begin(order: String, client: ClientKind, key: String): String {
        val members = Json.members(order)
        if (members == null || "client" in members) throw CheckoutException("an order is an object of JSON without a member `client`")
        // Its own text: a number keeps the digits that the app has written.
        val content = """{"client":"${client.text}"""" + (if (members.isEmpty()) "" else ",") + order.trimStart().substring(1)
        val response = post("/checkouts", content, listOf("Idempotency-Key" to key))
        val url = response.member("launchUrl")
        if (response.status != 201 || url == null) throw unexpected(response)
        return url
    }

    override fun redeem(link: ReturnLink): Redemption {
        val content = mapOf("returnTicket" to link.returnTicket, "orderReferenceId" to link.orderReferenceId)
        return redemption(post("/checkouts/return", Json.text(content), emptyList()))
    }

    override fun current(ticket: LaunchTicket): Redemption =
        redemption(transport.send(TransportRequest("GET", "$base/checkouts/${ticket.sessionId}", fields())))

    private fun post(path: String, content: String, more: List<Pair<String, String>>): TransportResponse {
        val fields = fields() + listOf("Content-Type" to "application/json") + more
        return transport.send(TransportRequest("POST", base + path, fields, content.toByteArray()))
    }

    private fun fields() = listOf("Authorization" to "Bearer " + login(), "Accept" to "application/json")

    private fun redemption(response: TransportResponse): Redemption = when (response.member("state")) {
        "paid" -> Redemption.Paid(Receipt(response.member("reference"), response.member("total")))
        "pending" -> Redemption.Pending(response.retryAfter ?: 1.0)
        "continue" -> Redemption.Again(response.member("launchUrl") ?: throw unexpected(response))
        "none" -> Redemption.None
        "open" -> Redemption.Open
        "declined" -> Redemption.Declined
        "refused" -> Redemption.Ended(CheckoutEnd.REFUSED)
        "over" -> Redemption.Ended(CheckoutEnd.OVER)
        else -> throw unexpected(response)
    }

    /** With what the shop's server says of it in `error`. */
    private fun unexpected(response: TransportResponse): CheckoutException {
        val reason = response.member("error")?.let { ": " + it.take(200) }.orEmpty()
        return CheckoutException("the shop answers ${response.status}$reason", response.retryAfter, response.status)
    }

    internal companion object {
        /** The address of a server, which is reached over TLS unless it is this very machine. */
        fun address(base: String): String {
            val plain = base.trimEnd('/')
            if (!form.matches(plain)) throw ConfigurationException("not the address of a server: $base")
            return plain
        }

        private val form = Regex("(https://[A-Za-z0-9.-]+|http://(localhost|127\\.0\\.0\\.1))(:[0-9]{1,5})?(/[A-Za-z0-9._~/-]*)?")
    }
}
