// A stand-in for the platform, as far as the sample app needs one.
package android.webkit;

import phone.Phone;

@SuppressWarnings("deprecation")
public class WebView extends android.widget.AbsoluteLayout {
    public final java.util.HashMap<String, Object> bridges = new java.util.HashMap<>();
    public WebViewClient client;
    public String shown;
    public boolean hasHistory;
    private final WebSettings settings = new Settings();
    public WebView(android.content.Context context) { super(context); }
    public void addJavascriptInterface(Object object, String name) { bridges.put(name, object); }
    public void removeJavascriptInterface(String name) { bridges.remove(name); }
    public void evaluateJavascript(String script, ValueCallback<String> resultCallback) {
        Phone.done.add("script " + script);
        resultCallback.onReceiveValue(Phone.answer);
    }
    public String getUrl() { return shown; }
    /** As on a phone: the address is there before the page is. */
    public void loadUrl(String url) { shown = url; Phone.done.add("load " + url); }
    public WebSettings getSettings() { return settings; }
    public WebViewClient getWebViewClient() { return client; }
    public void setWebViewClient(WebViewClient client) { this.client = client; }
    public boolean canGoBack() { return hasHistory; }
    public void goBack() { Phone.done.add("back"); }
    public void destroy() { shown = null; }

    private static class Settings extends WebSettings {
        public void setJavaScriptEnabled(boolean flag) {}
        public boolean getJavaScriptEnabled() { return true; }
        public void setDomStorageEnabled(boolean flag) {}
        public boolean getDomStorageEnabled() { return true; }
        public void setAllowFileAccess(boolean allow) {}
        public boolean getAllowFileAccess() { return false; }
        public void setAllowContentAccess(boolean allow) {}
        public boolean getAllowContentAccess() { return false; }
    }
}
