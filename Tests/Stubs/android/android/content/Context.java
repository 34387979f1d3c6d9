// A declaration to compile against, without a platform behind it.
package android.content;

public abstract class Context {
    public void startActivity(Intent intent) {}
    public java.io.File getNoBackupFilesDir() { return null; }
}
