// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.auth;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import dev.coxswain.k8s.client.ApiTransport;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * TokenReviews and SubjectAccessReviews. The account of this process needs the right to create
 * both, which the cluster role {@code system:auth-delegator} grants.
 *
 * <p>Thread rule: any thread that may block; refused on a Vert.x event loop. Every method throws
 * {@link dev.coxswain.k8s.client.ApiStatusException} when the API server returns no review; no
 * message contains a token.
 */
public final class AccessReviews {

  private static final String TOKEN_REVIEWS = "/apis/authentication.k8s.io/v1/tokenreviews";
  private static final String ACCESS_REVIEWS = "/apis/authorization.k8s.io/v1/subjectaccessreviews";

  private final ApiTransport transport;
  private final @Nullable String audience;

  /**
   * Creates access to the reviews.
   *
   * @param transport the connection to the API server
   * @param audience the required audience of tokens; a token for another one, such as the API
   *     server itself, is refused, since its receiver could use it here
   */
  public AccessReviews(ApiTransport transport, String audience) {
    this.transport = Objects.requireNonNull(transport, "transport");
    this.audience = Objects.requireNonNull(audience, "audience");
  }

  private AccessReviews(ApiTransport transport) {
    this.transport = Objects.requireNonNull(transport, "transport");
    this.audience = null;
  }

  /**
   * Creates access to the reviews for tokens of the API server itself, which its receiver could use
   * there. Only for a client that has no others, such as a scraper of metrics, and over TLS.
   *
   * @param transport the connection to the API server
   */
  public static AccessReviews ofApiServerTokens(ApiTransport transport) {
    return new AccessReviews(transport);
  }

  /** Returns the user of a token, or empty when the token is not valid here. */
  public Optional<ReviewedUser> user(String token) {
    JsonObject spec = new JsonObject();
    spec.addProperty("token", token);
    if (audience != null) {
      JsonArray audiences = new JsonArray();
      audiences.add(audience);
      spec.add("audiences", audiences);
    }
    JsonObject status = review(TOKEN_REVIEWS, "authentication.k8s.io/v1", "TokenReview", spec);
    // A server without support for audiences returns none, and would accept any token.
    if (!isTrue(status, "authenticated")
        || (audience != null && !texts(status.get("audiences")).contains(audience))) {
      return Optional.empty();
    }
    JsonObject user = object(status.get("user"));
    String name = text(user, "username");
    if (name.isEmpty()) {
      return Optional.empty();
    }
    Map<String, List<String>> extra = new HashMap<>();
    object(user.get("extra")).asMap().forEach((key, values) -> extra.put(key, texts(values)));
    return Optional.of(new ReviewedUser(name, text(user, "uid"), texts(user.get("groups")), extra));
  }

  /** Returns whether a user has a permission. */
  public boolean allowed(ReviewedUser user, ResourceAttributes wanted) {
    JsonObject spec = attributes(user);
    JsonObject attributes = new JsonObject();
    attributes.addProperty("group", wanted.group());
    attributes.addProperty("version", "*");
    int slash = wanted.resource().indexOf('/');
    attributes.addProperty(
        "resource", slash < 0 ? wanted.resource() : wanted.resource().substring(0, slash));
    if (slash >= 0) {
      attributes.addProperty("subresource", wanted.resource().substring(slash + 1));
    }
    attributes.addProperty("verb", wanted.verb());
    attributes.addProperty("namespace", wanted.namespace());
    attributes.addProperty("name", wanted.name());
    spec.add("resourceAttributes", attributes);
    return allowed(spec);
  }

  /**
   * Returns whether a user has a permission on a path that is no resource.
   *
   * @param path the path, such as {@code /metrics}
   * @param verb the method in lower case, such as {@code get}
   */
  public boolean allowed(ReviewedUser user, String path, String verb) {
    JsonObject attributes = new JsonObject();
    attributes.addProperty("path", path);
    attributes.addProperty("verb", verb);
    JsonObject spec = attributes(user);
    spec.add("nonResourceAttributes", attributes);
    return allowed(spec);
  }

  private static JsonObject attributes(ReviewedUser user) {
    JsonObject spec = new JsonObject();
    spec.addProperty("user", user.name());
    if (!user.uid().isEmpty()) {
      spec.addProperty("uid", user.uid());
    }
    spec.add("groups", array(user.groups()));
    JsonObject extra = new JsonObject();
    user.extra().forEach((key, values) -> extra.add(key, array(values)));
    spec.add("extra", extra);
    return spec;
  }

  private boolean allowed(JsonObject spec) {
    JsonObject status =
        review(ACCESS_REVIEWS, "authorization.k8s.io/v1", "SubjectAccessReview", spec);
    return isTrue(status, "allowed") && !isTrue(status, "denied");
  }

  private JsonObject review(String path, String apiVersion, String kind, JsonObject spec) {
    JsonObject review = new JsonObject();
    review.addProperty("apiVersion", apiVersion);
    review.addProperty("kind", kind);
    review.add("spec", spec);
    return object(transport.write("POST", path, Map.of(), review, ApiTransport.JSON).get("status"));
  }

  /**
   * Returns the expiry in a token; empty without one, or when it is not a JSON web token. It is not
   * verified and may only shorten how long a review is cached.
   */
  public static Optional<Instant> expiry(String token) {
    String[] parts = token.split("\\.", -1);
    if (parts.length != 3) {
      return Optional.empty();
    }
    try {
      byte[] payload = Base64.getUrlDecoder().decode(parts[1]);
      JsonElement claims = JsonParser.parseString(new String(payload, StandardCharsets.UTF_8));
      JsonElement expiry = object(claims).get("exp");
      return expiry instanceof JsonPrimitive number && number.isNumber()
          ? Optional.of(Instant.ofEpochSecond((long) number.getAsDouble()))
          : Optional.empty();
    } catch (IllegalArgumentException | JsonParseException | DateTimeException e) {
      return Optional.empty(); // another kind of token with two dots
    }
  }

  private static JsonObject object(@Nullable JsonElement json) {
    return json instanceof JsonObject object ? object : new JsonObject();
  }

  private static boolean isTrue(JsonObject json, String member) {
    return json.get(member) instanceof JsonPrimitive value
        && value.isBoolean()
        && value.getAsBoolean();
  }

  private static String text(JsonObject json, String member) {
    return json.get(member) instanceof JsonPrimitive value && value.isString()
        ? value.getAsString()
        : "";
  }

  private static List<String> texts(@Nullable JsonElement json) {
    List<String> texts = new ArrayList<>();
    if (json instanceof JsonArray array) {
      for (JsonElement one : array) {
        if (one instanceof JsonPrimitive value && value.isString()) {
          texts.add(value.getAsString());
        }
      }
    }
    return texts;
  }

  private static JsonArray array(List<String> texts) {
    JsonArray array = new JsonArray();
    texts.forEach(array::add);
    return array;
  }
}
