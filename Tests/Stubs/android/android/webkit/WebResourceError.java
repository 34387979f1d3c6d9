// A declaration to compile against, without a platform behind it.
package android.webkit;

public abstract class WebResourceError {}
