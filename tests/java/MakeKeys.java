import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Key;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.Base64;

/**
 * Makes keys with certificates that sign themselves. Arguments: a folder, the password of all stores, and NAME=SUBJECT
 * for each key. Writes NAME.p12, the key and the certificate of it as NAME.key and NAME.pem, and the certificate alone
 * as trust stores NAME-trust.jks and NAME-trust.p12.
 *
 * <p>The JDK's keytool runs in this process: each start of it would take another JVM.
 */
public class MakeKeys {
  public static void main(String[] arguments) throws Exception {
    var folder = Path.of(arguments[0]);
    for (int i = 2; i < arguments.length; i++) {
      var named = arguments[i].split("=", 2);
      generate(folder, named[0], named[1], arguments[1]);
      export(folder, named[0], arguments[1].toCharArray());
    }
  }

  private static void generate(Path folder, String name, String subject, String password) throws Exception {
    var store = folder.resolve(name + ".p12").toString();
    sun.security.tools.keytool.Main.main(
        new String[] {
          "-genkeypair", "-alias", name, "-dname", "CN=" + subject, "-keyalg", "EC", "-validity", "30",
          "-ext", "san=ip:127.0.0.1,dns:localhost", "-storetype", "PKCS12", "-keystore", store, "-storepass", password
        });
  }

  private static void export(Path folder, String name, char[] password) throws Exception {
    var store = KeyStore.getInstance(folder.resolve(name + ".p12").toFile(), password);
    Key key = store.getKey(name, password);
    Certificate certificate = store.getCertificate(name);
    write(folder.resolve(name + ".key"), "PRIVATE KEY", key.getEncoded());
    write(folder.resolve(name + ".pem"), "CERTIFICATE", certificate.getEncoded());
    for (var type : new String[] {"jks", "p12"}) {
      var trust = KeyStore.getInstance(type.equals("jks") ? "JKS" : "PKCS12");
      trust.load(null, null);
      trust.setCertificateEntry(name, certificate);
      try (var out = Files.newOutputStream(folder.resolve(name + "-trust." + type))) {
        trust.store(out, password);
      }
    }
  }

  private static void write(Path path, String what, byte[] content) throws Exception {
    var lines = Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII)).encodeToString(content);
    Files.writeString(path, "-----BEGIN " + what + "-----\n" + lines + "\n-----END " + what + "-----\n");
  }
}
