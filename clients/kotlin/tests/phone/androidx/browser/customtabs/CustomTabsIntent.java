// A stand-in for the platform, as far as the sample app needs one.
package androidx.browser.customtabs;

import phone.Phone;

public final class CustomTabsIntent {
    public final android.content.Intent intent = new android.content.Intent();
    public void launchUrl(android.content.Context context, android.net.Uri url) {
        if (!Phone.hasBrowser) throw new android.content.ActivityNotFoundException();
        Phone.done.add("tab " + url);
    }

    public static final class Builder {
        public Builder setShowTitle(boolean showTitle) { return this; }
        public Builder setShareState(int shareState) { return this; }
        public CustomTabsIntent build() { return new CustomTabsIntent(); }
    }

    public static final int SHARE_STATE_OFF = 2;
}
