import java.io.FileReader;
import java.security.PrivilegedExceptionAction;
import java.util.Base64;
import java.util.Map;
import java.util.Properties;
import javax.security.auth.Subject;
import javax.security.sasl.Sasl;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.security.JaasContext;
import org.apache.kafka.common.security.auth.AuthenticateCallbackHandler;
import org.apache.kafka.common.security.authenticator.DefaultLogin;
import org.apache.kafka.common.security.authenticator.LoginManager;
import org.apache.kafka.common.security.authenticator.SaslClientCallbackHandler;
import org.apache.kafka.common.security.oauthbearer.internals.OAuthBearerRefreshingLogin;
import org.apache.kafka.common.security.oauthbearer.internals.OAuthBearerSaslClientCallbackHandler;

/**
 * Logs in as a consumer of Kafka's does, and prints the first message that the broker would get after the handshake, in
 * Base64. Arguments: the consumer's properties, as a file, and the broker's host, which is not contacted.
 */
public class FirstMessage {
  public static void main(String[] arguments) throws Exception {
    var given = new Properties();
    try (var file = new FileReader(arguments[0])) {
      given.load(file);
    }
    for (var part : new String[] {"key", "value"})
      given.put(part + ".deserializer", "org.apache.kafka.common.serialization.ByteArrayDeserializer");
    System.out.println("first " + Base64.getEncoder().encodeToString(first(new ConsumerConfig(given).values(), arguments[1])));
    System.exit(0);
  }

  private static byte[] first(Map<String, ?> configs, String host) throws Exception {
    var mechanism = (String) configs.get("sasl.mechanism");
    var byToken = mechanism.equals("OAUTHBEARER");
    var context = JaasContext.loadClientContext(configs);
    var way = byToken ? OAuthBearerRefreshingLogin.class : DefaultLogin.class;
    var login = LoginManager.acquireLoginManager(context, mechanism, way, configs);
    var usual = byToken ? OAuthBearerSaslClientCallbackHandler.class : SaslClientCallbackHandler.class;
    var own = (Class<?>) configs.get("sasl.client.callback.handler.class");
    var handler = (AuthenticateCallbackHandler) (own != null ? own : usual).getDeclaredConstructor().newInstance();
    handler.configure(configs, mechanism, context.configurationEntries());
    PrivilegedExceptionAction<byte[]> answer = () ->
        Sasl.createSaslClient(new String[] {mechanism}, null, "kafka", host, configs, handler).evaluateChallenge(new byte[0]);
    return Subject.doAs(login.subject(), answer);
  }
}
