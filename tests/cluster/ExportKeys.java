import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Key;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.Base64;

/**
 * Writes what keytool can't: of each PKCS12 key store NAME.p12 of a folder the key and the certificate as NAME.key and
 * NAME.pem, and the certificate alone as trust stores NAME-trust.jks and NAME-trust.p12. Arguments: the folder, the
 * password of all, the names.
 */
class ExportKeys {
  public static void main(String[] arguments) throws Exception {
    var folder = Path.of(arguments[0]);
    var password = arguments[1].toCharArray();
    for (int i = 2; i < arguments.length; i++) export(folder, arguments[i], password);
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
