// A declaration to compile against, without a platform behind it.
package android.webkit;

public class WebView extends android.view.View {
    public WebView(android.content.Context context) { super(context); }
    public void addJavascriptInterface(Object object, String name) {}
    public void removeJavascriptInterface(String name) {}
    public void evaluateJavascript(String script, ValueCallback<String> resultCallback) {}
    public String getUrl() { return null; }
    public void loadUrl(String url) {}
}
