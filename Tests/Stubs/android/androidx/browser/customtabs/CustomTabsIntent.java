// A declaration to compile against, without a platform behind it.
package androidx.browser.customtabs;

public final class CustomTabsIntent {
    public final android.content.Intent intent = new android.content.Intent();
    public void launchUrl(android.content.Context context, android.net.Uri url) {}

    public static final class Builder {
        public Builder setShowTitle(boolean showTitle) { return this; }
        public Builder setShareState(int shareState) { return this; }
        public CustomTabsIntent build() { return new CustomTabsIntent(); }
    }

    public static final int SHARE_STATE_OFF = 2;
}
