// A declaration to compile against, without a platform behind it.
package android.webkit;

public interface WebResourceRequest {
    android.net.Uri getUrl();
    boolean isForMainFrame();
}
