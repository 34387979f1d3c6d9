package sallyport.client.android

import android.content.Context
import android.content.Intent
import android.net.Uri
import android.webkit.JavascriptInterface
import android.webkit.ValueCallback
import android.webkit.WebView
import androidx.browser.customtabs.CustomTabsIntent
import sallyport.client.CartPage
import sallyport.client.CheckoutConfiguration
import sallyport.client.CheckoutException
import sallyport.client.Launch
import sallyport.client.LaunchTicket
import sallyport.client.Redemption
import sallyport.client.ReturnLink
import sallyport.client.ReturnLinkScript
import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit

/**
 * The cart page in a web view: takes its ticket by `androidApp.handle`, and hands the return in by `window.purchase`.
 *
 * @param webView shows the cart; its settings allow scripts, and its client loads no other host than that of the pages.
 * @param configuration where the shop is.
 * @param onTicket takes the ticket on the thread of the UI: calls `Checkout.open`, then [CheckoutTab.open].
 */
class WebViewCartPage(
    private val webView: WebView,
    private val configuration: CheckoutConfiguration,
    private val onTicket: (LaunchTicket) -> Unit
) : CartPage {
    private inner class Bridge {
        /**
         * Comes on a thread of the web view. Android shows the object to every frame of every page, and does not say which one has called.
         *
         * So it is the view that is asked, on its own thread. What remains: a frame inside of the cart page, which its policy (`default-src 'none'`)
         * keeps out, and a page that was left a moment ago for the cart. All that either can do is opening the tab with a ticket at our own host.
         */
        @JavascriptInterface
        @Suppress("unused")
        fun handle(ticket: String) {
            val checked = LaunchTicket.parse(ticket) ?: return
            webView.post(Runnable { if (isThere) onTicket(checked) })
        }
    }

    /** Whether the view is at the cart page, and not at any other page of its host. On the thread of the UI. */
    val isThere: Boolean
        get() {
            val url = webView.url.orEmpty()
            return url == configuration.cartUrl || url.startsWith(configuration.cartUrl + "?")
        }

    /** Adds the bridge, and loads the cart. On the thread of the UI. */
    fun load() {
        webView.addJavascriptInterface(Bridge(), "androidApp")
        webView.loadUrl(configuration.cartUrl)
    }

    /** Takes the bridge away. On the thread of the UI. */
    fun close() = webView.removeJavascriptInterface("androidApp")

    /** Not on the thread of the UI, which it waits for. */
    override fun purchase(link: ReturnLink): Redemption {
        val done = CountDownLatch(1)
        var isCalled = false
        webView.post(Runnable {
            if (!isThere) {
                done.countDown()
            } else {
                webView.evaluateJavascript(ReturnLinkScript.purchase(link), ValueCallback {
                    isCalled = it == "true"
                    done.countDown()
                })
            }
        })
        if (!done.await(30, TimeUnit.SECONDS) || !isCalled) throw CheckoutException("the cart page is not there")
        return Redemption.HandedToPage
    }
}

/** The secure tab. */
object CheckoutTab {
    /** Opens a launch in a Custom Tab, which shares the buyer's sign-in with the browser, and nothing with the app. */
    fun open(context: Context, launch: Launch) {
        val tab = CustomTabsIntent.Builder().setShowTitle(true).setShareState(CustomTabsIntent.SHARE_STATE_OFF).build()
        tab.launchUrl(context, Uri.parse(launch.url))
    }
}

/** The App Link of the return. */
object ReturnIntent {
    /** The text for `Checkout.receive`, or `null` where the activity was started for something else. */
    fun link(intent: Intent?): String? = if (intent?.action == Intent.ACTION_VIEW) intent.dataString else null
}
