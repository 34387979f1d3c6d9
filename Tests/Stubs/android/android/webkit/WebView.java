// A declaration to compile against, without a platform behind it.
package android.webkit;

@SuppressWarnings("deprecation")
public class WebView extends android.widget.AbsoluteLayout {
    public WebView(android.content.Context context) { super(context); }
    public void addJavascriptInterface(Object object, String name) {}
    public void removeJavascriptInterface(String name) {}
    public void evaluateJavascript(String script, ValueCallback<String> resultCallback) {}
    public String getUrl() { return null; }
    public void loadUrl(String url) {}
    public WebSettings getSettings() { return null; }
    public WebViewClient getWebViewClient() { return null; }
    public void setWebViewClient(WebViewClient client) {}
    public boolean canGoBack() { return false; }
    public void goBack() {}
    public void destroy() {}
}
