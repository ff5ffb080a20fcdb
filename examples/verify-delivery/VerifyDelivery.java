// Checks that a delivery is Backstop's, unaltered and fresh (Standard Webhooks 1.0.0, scheme v1). Java 17 or newer:
//   WEBHOOK_SECRETS="whsec_…" java VerifyDelivery.java <webhook-id> <webhook-timestamp> <webhook-signature> < body

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public final class VerifyDelivery {
  private static final long TOLERANCE_S = 300;

  /** With an empty key anybody could sign. */
  private static final int MIN_KEY_BYTES = 24;

  private VerifyDelivery() {}

  /**
   * Says whether one of the signatures is by one of the secrets.
   *
   * @param secrets {@code whsec_…}; while the secret is being changed, the old and the new one
   * @param signature the whole header, one or more signatures with a blank between
   * @param body the very bytes that were received, before any parser saw them
   */
  public static boolean isGenuine(
      List<String> secrets, String id, String timestamp, String signature, byte[] body, Instant now)
      throws GeneralSecurityException {
    if (!timestamp.matches("[0-9]{1,12}")) return false;
    if (Math.abs(now.getEpochSecond() - Long.parseLong(timestamp)) > TOLERANCE_S) return false;
    for (String secret : secrets) {
      Mac mac = Mac.getInstance("HmacSHA256");
      byte[] key = Base64.getDecoder().decode(secret.replaceFirst("^whsec_", ""));
      if (key.length < MIN_KEY_BYTES) throw new IllegalArgumentException("A secret is missing or cut short.");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      mac.update((id + "." + timestamp + ".").getBytes(UTF_8));
      byte[] expected = ("v1," + Base64.getEncoder().encodeToString(mac.doFinal(body))).getBytes(UTF_8);
      for (String item : signature.split(" ")) {
        if (MessageDigest.isEqual(expected, item.getBytes(UTF_8))) return true;
      }
    }
    return false;
  }

  public static void main(String[] args) throws Exception {
    List<String> secrets = List.of(System.getenv("WEBHOOK_SECRETS").trim().split(" +"));
    boolean genuine =
        isGenuine(secrets, args[0], args[1], args[2], System.in.readAllBytes(), Instant.now());
    System.out.println(genuine ? "genuine" : "refused");
    System.exit(genuine ? 0 : 1);
  }
}
