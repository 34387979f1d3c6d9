package example.shop

import android.app.Activity
import android.content.Intent
import android.os.Bundle
import sallyport.client.android.ReturnIntent

/** Opened by the return link: hands it to the cart, takes the tab away, and shows nothing itself. */
class ReturnActivity : Activity() {
    override fun onCreate(state: Bundle?) {
        super.onCreate(state)
        val link = ReturnIntent.link(intent)
        if (link != null) {
            // The cart that is there already, without what lies on it: the tab. A link that is refused takes it away, too; nothing is lost by that.
            val flags = Intent.FLAG_ACTIVITY_NEW_TASK or Intent.FLAG_ACTIVITY_CLEAR_TOP or Intent.FLAG_ACTIVITY_SINGLE_TOP
            startActivity(Intent(this, CartActivity::class.java).addFlags(flags).putExtra(CartActivity.LINK, link))
        }
        finish()
    }
}
