package sallyport.client.tests

import android.content.Context
import android.webkit.ValueCallback
import android.webkit.WebView
import sallyport.client.CheckoutException
import sallyport.client.LaunchTicket
import sallyport.client.Redemption
import sallyport.client.ReturnLink
import sallyport.client.ReturnLinkScript
import sallyport.client.android.WebViewCartPage

/** A web view at an address, which answers each script with the same word. */
private class StandInView(private val address: String?, private val answer: String = "true") : WebView(null as Context?) {
    val scripts = ArrayList<String>()
    val loaded = ArrayList<String>()

    override fun getUrl(): String? = address

    override fun post(action: Runnable): Boolean {
        action.run()
        return true
    }

    override fun loadUrl(url: String) {
        loaded.add(url)
    }

    override fun evaluateJavascript(script: String, callback: ValueCallback<String>?) {
        scripts.add(script)
        callback?.onReceiveValue(answer)
    }
}

private const val cart = "https://pay.example.com/androidApp/cart"

/** As the page calls it: by the name of the method, which alone is visible to scripts. */
private fun call(bridge: Any, text: String) {
    val method = bridge.javaClass.getMethod("handle", String::class.java)
    method.isAccessible = true
    method.invoke(bridge, text)
}

private fun handed(address: String?, text: String = old): List<LaunchTicket> {
    val tickets = ArrayList<LaunchTicket>()
    val view = StandInView(address)
    WebViewCartPage(view, configuration) { tickets.add(it) }.load()
    call(view.bridges.getValue("androidApp"), text)
    return tickets
}

private fun purchased(view: StandInView): String = try {
    val answer = WebViewCartPage(view, configuration) {}.purchase(ReturnLink.parse(front + query(token = "a%7Cb~c"), configuration))
    if (answer == Redemption.HandedToPage) "handed over" else answer.toString()
} catch (error: CheckoutException) {
    error.message!!
}

/** The adapters, on a web view that is a stand-in. */
internal fun platform() {
    case("web view: the cart is loaded with its bridge, which goes when the page is closed") {
        val view = StandInView(cart)
        val page = WebViewCartPage(view, configuration) {}
        page.load()
        expect(view.loaded.toList(), listOf(cart))
        expect(view.bridges.keys.toList(), listOf("androidApp"))
        page.close()
        expect(view.bridges.isEmpty(), true)
    }
    for (address in listOf(cart, "$cart?language=ja")) case("web view: a ticket of the cart page is taken: $address") {
        expect(handed(address).map { it.text }, listOf(old))
    }
    for (address in listOf(null, "", "about:blank", "https://pay.example.com/", "https://pay.example.com/thanks", "https://pay.example.com/iosApp/cart",
        cart + "s", "$cart/x", "$cart#x", "https://pay.example.com.evil.test/androidApp/cart", "http://pay.example.com/androidApp/cart",
        "https://pay.example.com@evil.test/androidApp/cart", "https://evil.test/?$cart", "data:text/html,$cart")) {
        case("web view: a message of another page is none: $address") { expect(handed(address).size, 0) }
        case("web view: a return is handed to no other page: $address") {
            val view = StandInView(address)
            expect(purchased(view), "the cart page is not there")
            expect(view.scripts.size, 0)
        }
    }
    for (text in listOf("", "x", fresh, old + "A", old.dropLast(1) + "'")) case("web view: no ticket: '$text'") { expect(handed(cart, text).size, 0) }
    case("web view: the return is a call whose arguments are literals") {
        val view = StandInView(cart)
        expect(purchased(view), "handed over")
        expect(view.scripts.toList(), listOf(
            "typeof window.purchase === 'function' && (window.purchase(\"$fresh\", \"a|b~c\", \"S03-1\"), true)"
        ))
        expect(ReturnLinkScript.purchase(ReturnLink.parse(front + query(token = "a%7Cb~c"), configuration)), view.scripts[0])
    }
    for (answer in listOf("false", "null", "\"true\"")) case("web view: a page whose script is not there yet takes no return: $answer") {
        expect(purchased(StandInView(cart, answer)), "the cart page is not there")
    }
}
