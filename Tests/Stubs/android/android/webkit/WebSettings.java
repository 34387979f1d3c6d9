// A declaration to compile against, without a platform behind it.
package android.webkit;

public abstract class WebSettings {
    public abstract void setJavaScriptEnabled(boolean flag);
    public abstract boolean getJavaScriptEnabled();
    public abstract void setDomStorageEnabled(boolean flag);
    public abstract boolean getDomStorageEnabled();
    public abstract void setAllowFileAccess(boolean allow);
    public abstract boolean getAllowFileAccess();
    public abstract void setAllowContentAccess(boolean allow);
    public abstract boolean getAllowContentAccess();
}
