// A stand-in for the platform, as far as the sample app needs one.
package android.net;

public class Uri {
    private final String text;
    private Uri(String text) { this.text = text; }
    public static Uri parse(String uriString) { return new Uri(uriString); }
    public String getScheme() { return text.substring(0, text.indexOf(':')); }
    @Override public String toString() { return text; }
}
