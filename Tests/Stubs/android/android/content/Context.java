// A declaration to compile against, without a platform behind it.
package android.content;

public abstract class Context {
    public abstract void startActivity(Intent intent);
    public abstract java.io.File getNoBackupFilesDir();
}
