// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.access;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.schema.Decoder;
import dev.coxswain.apiserver.internal.schema.TypeTable;
import dev.coxswain.apiserver.internal.status.ApiException;
import dev.coxswain.apiserver.internal.status.Causes;
import dev.coxswain.apiserver.internal.store.StoredObject;
import java.util.List;

/** Answers {@code serviceaccounts/token}; confined to the server's event loop. */
public final class TokenRequests {
  private static final String KIND = "TokenRequest";
  private static final String GROUP = "authentication.k8s.io";
  private static final String API_VERSION = GROUP + "/v1";
  private static final ApiException.Names NAMES = new ApiException.Names(GROUP, KIND);

  private static final long DEFAULT_SECONDS = 3600;
  private static final long LEAST_SECONDS = 600;
  private static final long MOST_SECONDS = 1L << 32;

  private final AccountTokens tokens;

  public TokenRequests(AccountTokens tokens) {
    this.tokens = tokens;
  }

  /** Returns the request with a token of the account in its status. */
  public ObjectNode answer(StoredObject account, JsonNode body) {
    ObjectNode request = decoded(body);
    ObjectNode meta = Json.ensure(request, "metadata");
    mustMatch(meta, "name", account.name(), account.name());
    mustMatch(meta, "namespace", account.namespace(), account.name());
    ObjectNode spec = Json.ensure(request, "spec");
    if (spec.path("boundObjectRef").isObject()) {
      throw ApiException.of(
          501,
          "NotImplemented",
          "tokens that are bound to an object are not served by the embedded API server",
          Json.object());
    }
    long seconds = spec.path("expirationSeconds").asLong(DEFAULT_SECONDS);
    checkSeconds(seconds);
    List<String> audiences = Json.texts(spec.path("audiences"));
    if (audiences.isEmpty()) {
      audiences.addAll(Access.API);
    }
    AccountTokens.Issued issued = tokens.issue(account, audiences, seconds);
    meta.put("name", account.name())
        .put("namespace", account.namespace())
        .put("creationTimestamp", issued.issued().toString());
    ArrayNode shown = spec.putArray("audiences");
    audiences.forEach(shown::add);
    spec.put("expirationSeconds", seconds).putNull("boundObjectRef");
    request
        .putObject("status")
        .put("expirationTimestamp", issued.expires().toString())
        .put("token", issued.text());
    return request;
  }

  private static ObjectNode decoded(JsonNode body) {
    if (!(body instanceof ObjectNode request)) {
      throw ApiException.badRequest("the body of a request for a token must be an object");
    }
    String kind = request.path("kind").asText(KIND);
    String apiVersion = request.path("apiVersion").asText(API_VERSION);
    if (!kind.equals(KIND) || !apiVersion.equals(API_VERSION)) {
      throw cannot(
          kind,
          apiVersion,
          "no kind \"%s\" is registered for version \"%s\" for this resource"
              .formatted(kind, apiVersion));
    }
    try {
      new Decoder(KIND).decode(request, TypeTable.type(KIND));
    } catch (Decoder.DecodeException e) {
      throw cannot(KIND, API_VERSION, String.valueOf(e.getMessage()));
    }
    return request.put("kind", KIND).put("apiVersion", API_VERSION);
  }

  private static ApiException cannot(String kind, String apiVersion, String why) {
    String version = apiVersion.substring(apiVersion.indexOf('/') + 1);
    return ApiException.badRequest(
        kind + " in version \"" + version + "\" cannot be handled as a " + KIND + ": " + why);
  }

  private static void mustMatch(ObjectNode meta, String field, String expected, String account) {
    String given = Json.text(meta, field);
    if (!given.isEmpty() && !given.equals(expected)) {
      throw ApiException.invalid(
          NAMES,
          account,
          new Causes()
              .at("metadata." + field, given)
              .invalidText("must match the service account " + field + " if specified"));
    }
  }

  private static void checkSeconds(long seconds) {
    String why =
        seconds < LEAST_SECONDS
            ? "may not specify a duration less than 10 minutes"
            : seconds > MOST_SECONDS ? "may not specify a duration larger than 2^32 seconds" : "";
    if (!why.isEmpty()) {
      throw ApiException.invalid(
          NAMES,
          "",
          new Causes().at("spec.expirationSeconds").invalid(Long.toString(seconds), why));
    }
  }
}
