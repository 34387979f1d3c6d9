// A stand-in for the platform, as far as the sample app needs one.
package android.webkit;

public class CookieManager {
    public static CookieManager getInstance() { return new CookieManager(); }
    public void flush() { phone.Phone.done.add("flush"); }
}
