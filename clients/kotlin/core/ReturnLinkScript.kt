package sallyport.client

/** What a web view runs to hand a return to its cart page. */
object ReturnLinkScript {
    /** A call of the page's `purchase`, which is `true` where the page has it. Its arguments are literals of JSON. */
    @JvmStatic
    fun purchase(link: ReturnLink): String {
        val values = listOf(link.returnTicket, link.accessToken, link.orderReferenceId).joinToString(", ") { Json.quoted(it) }
        return "typeof window.purchase === 'function' && (window.purchase($values), true)"
    }
}
