// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal.access;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import org.jspecify.annotations.Nullable;

/**
 * The ExecCredential that a plug-in has printed.
 *
 * <p>Thread rule: immutable.
 *
 * @param token the token; empty for none
 * @param certificate the client certificate as PEM; empty for none
 * @param key the key to it; empty for none
 * @param expiry when it expires, or null when it does not say
 */
record ExecResponse(String token, String certificate, String key, @Nullable Instant expiry) {

  private static final String KIND = "ExecCredential";

  /**
   * Parses the output of a plug-in.
   *
   * @param version the version in the kubeconfig
   * @throws IllegalArgumentException when it is no credential; the message completes "the plug-in"
   *     and has no part of the output
   */
  static ExecResponse parse(String output, String version) {
    JsonObject printed = object(output);
    String kind = text(printed, "kind");
    String printedVersion = text(printed, "apiVersion");
    if (!kind.equals(KIND) || !printedVersion.equals(version)) {
      throw new IllegalArgumentException(
          "must print kind %s of apiVersion %s".formatted(KIND, version)
              + (kind.equals(KIND) ? "; it has another apiVersion" : ""));
    }
    JsonObject status =
        printed.get("status") instanceof JsonObject object ? object : new JsonObject();
    ExecResponse response =
        new ExecResponse(
            text(status, "token"),
            text(status, "clientCertificateData"),
            text(status, "clientKeyData"),
            expiry(text(status, "expirationTimestamp")));
    if (response.certificate.isEmpty() != response.key.isEmpty()) {
      throw new IllegalArgumentException(
          "printed only one of clientCertificateData and clientKeyData");
    }
    if (response.token.isEmpty() && response.certificate.isEmpty()) {
      throw new IllegalArgumentException("printed neither a token nor a client certificate");
    }
    return response;
  }

  private static JsonObject object(String output) {
    try {
      if (JsonParser.parseString(output) instanceof JsonObject object) {
        return object;
      }
    } catch (JsonParseException e) {
      // Its message may contain a part of the output.
    }
    throw new IllegalArgumentException("printed something else than a JSON object");
  }

  private static String text(JsonObject object, String name) {
    JsonElement value = object.get(name);
    if (value == null || value.isJsonNull()) {
      return "";
    }
    if (value.isJsonPrimitive() && value.getAsJsonPrimitive().isString()) {
      return value.getAsString();
    }
    throw new IllegalArgumentException("printed a " + name + " that is no text");
  }

  private static @Nullable Instant expiry(String text) {
    try {
      return text.isEmpty() ? null : OffsetDateTime.parse(text).toInstant();
    } catch (DateTimeException e) {
      throw new IllegalArgumentException("printed an expirationTimestamp that is no time");
    }
  }

  /** Hides the secrets. */
  @Override
  public String toString() {
    return KIND;
  }
}
