// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.access;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.resource.ResourceRegistry;
import dev.coxswain.apiserver.internal.resource.ResourceType;
import dev.coxswain.apiserver.internal.store.ObjectStore;
import dev.coxswain.apiserver.internal.store.StoredObject;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.List;
import java.util.UUID;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Creates and verifies tokens of service accounts; confined to the server's event loop. A token is
 * a signed JWT, so none is stored; the key is random for each process.
 */
public final class AccountTokens {
  private static final String ISSUER = "https://kubernetes.default.svc";
  private static final String MAC = "HmacSHA256";
  private static final Base64.Encoder BASE64 = Base64.getUrlEncoder().withoutPadding();
  private static final String HEADER = encoded("{\"alg\":\"HS256\",\"typ\":\"JWT\"}");

  private final SecretKeySpec key;
  private final InstantSource clock;
  private final ResourceRegistry registry;
  private final ObjectStore store;

  /** Creates the issuer of one server. */
  public AccountTokens(InstantSource clock, ResourceRegistry registry, ObjectStore store) {
    byte[] drawn = new byte[32];
    new SecureRandom().nextBytes(drawn);
    this.key = new SecretKeySpec(drawn, MAC);
    this.clock = clock;
    this.registry = registry;
    this.store = store;
  }

  /**
   * A new token; immutable.
   *
   * @param text the token itself
   * @param issued when it was made
   * @param expires until when it is good
   */
  record Issued(String text, Instant issued, Instant expires) {}

  /** Makes a token of an account. */
  Issued issue(StoredObject account, List<String> audiences, long seconds) {
    Instant now = Instant.ofEpochSecond(clock.instant().getEpochSecond());
    Instant expires = now.plusSeconds(seconds);
    ObjectNode claims = Json.object();
    audiences.forEach(claims.putArray("aud")::add);
    claims
        .put("exp", expires.getEpochSecond())
        .put("iat", now.getEpochSecond())
        .put("iss", ISSUER)
        .put("jti", UUID.randomUUID().toString());
    ObjectNode kubernetes = claims.putObject("kubernetes.io");
    kubernetes.put("namespace", account.namespace());
    kubernetes.putObject("serviceaccount").put("name", account.name()).put("uid", account.uid());
    claims.put("nbf", now.getEpochSecond()).put("sub", subject(account));
    String text = HEADER + "." + BASE64.encodeToString(Json.bytes(claims));
    return new Issued(text + "." + signature(text), now, expires);
  }

  /** Returns the user of a token while it and its account are valid, or null. */
  Access.@Nullable Bearer bearer(String token) {
    int end = token.lastIndexOf('.');
    if (end <= HEADER.length() || !token.startsWith(HEADER + ".")) {
      return null;
    }
    String text = token.substring(0, end);
    if (!MessageDigest.isEqual(bytes(signature(text)), bytes(token.substring(end + 1)))) {
      return null;
    }
    JsonNode claims =
        Json.parseOwn(Base64.getUrlDecoder().decode(text.substring(HEADER.length() + 1)));
    JsonNode about = claims.path("kubernetes.io");
    String namespace = Json.text(about, "namespace");
    JsonNode account = about.path("serviceaccount");
    StoredObject found = account(namespace, Json.text(account, "name"));
    if (found == null
        || !found.uid().equals(Json.text(account, "uid"))
        || clock.instant().getEpochSecond() >= claims.path("exp").asLong()) {
      return null;
    }
    List<String> audiences = Json.texts(claims.path("aud"));
    return new Access.Bearer(
        new Access.User(
            subject(found),
            List.of("system:serviceaccounts", "system:serviceaccounts:" + namespace)),
        audiences);
  }

  private static String subject(StoredObject account) {
    return "system:serviceaccount:" + account.namespace() + ":" + account.name();
  }

  private @Nullable StoredObject account(String namespace, String name) {
    ResourceType type = registry.type("", "serviceaccounts");
    return type == null ? null : store.collection(type).get(namespace, name);
  }

  private String signature(String text) {
    try {
      Mac mac = Mac.getInstance(MAC);
      mac.init(key);
      return BASE64.encodeToString(mac.doFinal(bytes(text)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has " + MAC, e);
    }
  }

  private static String encoded(String text) {
    return BASE64.encodeToString(bytes(text));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
