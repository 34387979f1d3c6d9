// A declaration to compile against, without a platform behind it.
package android.content;

public class ActivityNotFoundException extends RuntimeException {}
