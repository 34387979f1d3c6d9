package sallyport.client.tests

import sallyport.client.CheckoutException
import sallyport.client.HttpCartPage
import sallyport.client.Receipt
import sallyport.client.Redemption
import sallyport.client.ReturnLink
import sallyport.client.Transport
import sallyport.client.TransportRequest
import sallyport.client.TransportResponse

/** A shop without a network: sets cookies, hands out one ticket, and sells. */
private class StandInShop : Transport {
    val sent = ArrayList<TransportRequest>()

    override fun send(request: TransportRequest): TransportResponse {
        sent.add(request)
        return when (request.url.substringAfter(".com")) {
            "/androidApp/cart" -> TransportResponse(200, null, mapOf("__Host-sallyport" to "a=\"\\'ä;<\u2028"), ByteArray(0))
            "/secureWebviewSession" -> TransportResponse(200, null, mapOf("second" to ""), """{"secureWebviewSessionId":"$old"}""".toByteArray())
            else -> TransportResponse(200, null, emptyMap(), """{"orderId":"7"}""".toByteArray())
        }
    }

    /** What a purchase has sent: all cookies, and the form. */
    fun purchase(): List<String> {
        val last = sent.last()
        return listOf(last.fields.filter { it.first == "Cookie" }.toString()) + String(last.body).split("&").sorted()
    }
}

/** The cart page's calls, without a web view. */
internal fun cartPage() {
    val link = ReturnLink.parse(front + query(), configuration)
    case("cart page: dies in the tab, and a new one over its text sends the same purchase") {
        val shop = StandInShop()
        val first = HttpCartPage(configuration, shop)
        first.begin(mapOf("hd8" to 1))
        val text = first.memory.serialize()
        first.purchase(link)
        val whole = shop.purchase()
        expect("second=" in whole[0] && whole.any { it.startsWith("code_verifier=") } && whole.any { it == "old_secureWebviewSessionId=$old" }, true)
        val second = HttpCartPage(configuration, shop, HttpCartPage.Memory.parse(text))
        expect(second.purchase(link), Redemption.Paid(Receipt("7", null)))
        expect(shop.purchase(), whole)
        expect(HttpCartPage.Memory.parse(text).serialize(), text)
        expect(old in first.memory.toString(), false)
    }
    case("cart page: a memory of nothing has a text, too") {
        expect(HttpCartPage.Memory.parse(HttpCartPage.Memory().serialize()).serialize(), """{"cookies":{}}""")
    }
    for (text in listOf("", "x", "[]", "{}", """{"cookies":[]}""", """{"cookies":{"a":1}}""", """{"cookies":{"a":null}}""",
        """{"cookies":{},"ticket":"x"}""", """{"cookies":{},"ticket":7}""", """{"cookies":{},"verifier":{}}""", """{"cookies":{}""")) case("cart page: a damaged memory is an error value: '$text'") {
        expect(try { HttpCartPage.Memory.parse(text).toString() } catch (error: CheckoutException) { error.message }, "the memory of the page is damaged")
    }
}
