// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.controllers;

import dev.coxswain.admin.spi.PauseStore;
import dev.coxswain.admin.spi.PauseStore.Pause;
import dev.coxswain.view.FailurePattern;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An entry of the ConfigMap of pauses. Its key is the name of the controller; for a cause of its
 * failures a dot, which no such name has, and the name of the cause follow.
 *
 * <p>Thread rule: immutable.
 *
 * @param cause the cause that is paused; null for the whole controller
 */
record StoredPause(Pause pause, @Nullable FailurePattern cause) {

  private static final Logger LOG = LoggerFactory.getLogger(StoredPause.class);

  static String key(String controller, String cause) {
    return controller + "." + cause;
  }

  /** Returns whether a key is that of a cause of a controller. */
  static boolean isOfCause(String key, String controller) {
    return key.startsWith(controller + ".");
  }

  /** Throws an exception when more causes of a controller are paused than may be. */
  static void checkCauses(Map<String, String> data, String controller, int max) {
    if (data.keySet().stream().filter(one -> isOfCause(one, controller)).count() > max) {
      throw new PauseStore.LimitException(
          "controller " + controller + " has " + max + " paused causes, the limit");
    }
  }

  String write() {
    JsonObject json =
        new JsonObject()
            .put("reason", pause.reason())
            .put("actor", pause.actor())
            .put("since", pause.since().toString());
    if (pause.until() != null) {
      json.put("until", pause.until().toString());
    }
    if (cause != null) {
      json.put("types", new JsonArray(new ArrayList<>(cause.types())))
          .put("message", cause.message())
          .put("where", cause.where());
    }
    return json.encode();
  }

  /** Parses an entry; an invalid one is logged, and null. */
  static @Nullable StoredPause read(String key, String text) {
    try {
      JsonObject json = new JsonObject(text);
      String until = json.getString("until");
      Pause pause =
          new Pause(
              text(json, "reason"),
              text(json, "actor"),
              Instant.parse(text(json, "since")),
              until == null ? null : Instant.parse(until));
      FailurePattern cause = key.indexOf('.') < 0 ? null : cause(json);
      if (cause != null && !key.endsWith("." + cause.id())) {
        throw new DecodeException("the cause is " + cause.id());
      }
      return new StoredPause(pause, cause);
    } catch (DecodeException | ClassCastException | DateTimeException e) {
      LOG.atWarn()
          .addKeyValue("key", key)
          .addKeyValue("error", e.toString())
          .log("invalid pause in the ConfigMap, ignored");
      return null;
    }
  }

  private static FailurePattern cause(JsonObject json) {
    JsonArray stored = json.getJsonArray("types");
    List<String> types =
        stored == null
            ? List.of()
            : stored.stream().filter(String.class::isInstance).map(String.class::cast).toList();
    return new FailurePattern(types, text(json, "message"), text(json, "where"));
  }

  /** Returns a text that somebody may have removed by hand. */
  private static String text(JsonObject json, String field) {
    return Objects.requireNonNullElse(json.getString(field), "");
  }

  /** Returns the pauses of the causes of a controller among all entries. */
  static Map<FailurePattern, Pause> ofCauses(Map<String, StoredPause> all, String controller) {
    return all.entrySet().stream()
        .filter(entry -> isOfCause(entry.getKey(), controller))
        .map(Map.Entry::getValue)
        .filter(stored -> stored.cause() != null)
        .collect(
            Collectors.toUnmodifiableMap(
                stored -> Objects.requireNonNull(stored.cause()), StoredPause::pause));
  }
}
