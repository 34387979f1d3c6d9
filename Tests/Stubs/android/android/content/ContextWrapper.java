// A declaration to compile against, without a platform behind it.
package android.content;

public class ContextWrapper extends Context {
    public ContextWrapper(Context base) {}
    @Override public void startActivity(Intent intent) {}
    @Override public java.io.File getNoBackupFilesDir() { return null; }
}
