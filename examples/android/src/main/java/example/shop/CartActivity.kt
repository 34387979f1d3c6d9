package example.shop

import android.app.Activity
import android.content.Intent
import android.os.Bundle
import android.webkit.WebResourceRequest
import android.webkit.WebView
import android.webkit.WebViewClient
import sallyport.client.Checkout
import sallyport.client.CheckoutConfiguration
import sallyport.client.ClientKind
import sallyport.client.Completion
import sallyport.client.FileCheckoutStore
import sallyport.client.ReturnLinkRefusal
import sallyport.client.android.CheckoutTab
import sallyport.client.android.WebViewCartPage
import java.io.File
import java.util.concurrent.Executors

/** The cart in a web view. `singleTask`: a return brings this one back to the front, and the tab above it goes. */
class CartActivity : Activity() {
    private val configuration = CheckoutConfiguration("https://pay.example.com", "https://pay-links.example.com", ClientKind.androidApp)
    private val worker = Executors.newSingleThreadExecutor()
    private lateinit var page: WebViewCartPage
    private lateinit var checkout: Checkout
    private var waiting: String? = null
    private var isLoaded = false

    override fun onCreate(state: Bundle?) {
        super.onCreate(state)
        val web = WebView(this)
        web.settings.javaScriptEnabled = true
        web.webViewClient = object : WebViewClient() {
            override fun shouldOverrideUrlLoading(view: WebView, request: WebResourceRequest): Boolean =
                !request.url.toString().startsWith(configuration.webOrigin + "/")

            override fun onPageFinished(view: WebView, url: String) {
                isLoaded = true
                checkout.pageArrived(url)
                deliver()
            }
        }
        page = WebViewCartPage(web, configuration) { CheckoutTab.open(this, checkout.open(it)) }
        checkout = Checkout(configuration, Completion.Page(page), FileCheckoutStore(File(noBackupFilesDir, "checkout")))
        setContentView(web)
        waiting = intent.getStringExtra(LINK)
        page.load()
    }

    override fun onNewIntent(intent: Intent) {
        super.onNewIntent(intent)
        waiting = intent.getStringExtra(LINK)
        deliver()
    }

    /** Hands the return in as soon as the page is there. */
    private fun deliver() {
        val text = waiting ?: return
        if (!isLoaded) return
        waiting = null
        worker.execute {
            try {
                checkout.receive(text)
            } catch (refusal: ReturnLinkRefusal) {
                // The checkout is as it was; the buyer sees the cart.
            }
        }
    }

    override fun onDestroy() {
        page.close()
        worker.shutdown()
        super.onDestroy()
    }

    companion object {
        const val LINK = "link"
    }
}
