// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.deployment;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.coxswain.apiserver.EmbeddedApiServer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

/**
 * Writes one parcel again and again, in both versions, and compares each response with what has been written
 * until then. A write that is refused is repeated until it is accepted.
 *
 * <p>Thread rule: {@link #work} on a thread of its own; the rest on any.
 */
final class ParcelClient {

  static final String FORMER = "/apis/shop.example.com/v1alpha1/namespaces/default/parcels";
  static final String CURRENT = "/apis/shop.example.com/v1/namespaces/default/parcels";

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final long PAUSE_NANOS = 20_000_000;

  private final HttpClient http;
  private final EmbeddedApiServer server;
  private final String token;
  private final String name;
  private final Random random;

  /** Failed comparisons. */
  final List<String> losses = Collections.synchronizedList(new ArrayList<>());

  /** What refused writes were answered with, and for how long each was repeated. */
  final List<String> refusals = Collections.synchronizedList(new ArrayList<>());

  volatile long longestNanos;
  volatile int formerWrites;
  volatile int currentWrites;
  private volatile boolean ended;

  private int grams = 1;
  private String note = "new";
  private String insurance = "";

  ParcelClient(
      HttpClient http, EmbeddedApiServer server, String token, String name, Random random) {
    this.http = http;
    this.server = server;
    this.token = token;
    this.name = name;
    this.random = random;
  }

  /** Creates the parcel. */
  void create() throws Exception {
    HttpResponse<String> response =
        send(
            "POST",
            FORMER,
            """
            {"apiVersion": "shop.example.com/v1alpha1", "kind": "Parcel",
             "metadata": {"name": "%s", "labels": {"kept": "yes"}}, "spec": {"weight": "1g", "note": "new"}}
            """
                .formatted(name));
    if (response.statusCode() != 201) {
      throw new AssertionError(response.body());
    }
  }

  void end() {
    ended = true;
  }

  /** Writes until the end. */
  void work() {
    try {
      for (int count = 1; !ended; count++) {
        boolean current = random.nextBoolean() && isServed();
        int field = random.nextInt(current ? 3 : 2);
        String change;
        if (field == 0) {
          grams = count;
          change = current ? "\"grams\": " + count : "\"weight\": \"" + count + "g\"";
        } else if (field == 1) {
          note = "note " + count;
          change = "\"note\": \"" + note + "\"";
        } else {
          insurance = "insurance " + count;
          change = "\"insurance\": \"" + insurance + "\"";
        }
        write(current, "{\"spec\": {" + change + "}}");
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    } catch (Exception e) {
      losses.add(e.toString());
    }
  }

  private boolean isServed() throws Exception {
    return send("GET", "/apis/shop.example.com/v1", "").statusCode() == 200;
  }

  private void write(boolean current, String change) throws Exception {
    long begin = System.nanoTime();
    String refused = "";
    while (true) {
      HttpResponse<String> response =
          send("PATCH", (current ? CURRENT : FORMER) + "/" + name, change);
      if (response.statusCode() == 200) {
        check(JSON.readTree(response.body()), current);
        break;
      }
      refused = response.body();
      LockSupport.parkNanos(PAUSE_NANOS);
    }
    if (current) {
      currentWrites++;
    } else {
      formerWrites++;
    }
    if (!refused.isEmpty()) {
      long nanos = System.nanoTime() - begin;
      longestNanos = Math.max(longestNanos, nanos);
      refusals.add(nanos / 1_000_000 + " ms: " + JSON.readTree(refused).path("message").asText());
    }
  }

  /** Compares a parcel with what has been written. */
  void check(JsonNode parcel, boolean current) {
    JsonNode spec = parcel.path("spec");
    boolean same =
        Objects.equals(spec.path("note").asText(), note)
            && Objects.equals(parcel.at("/metadata/labels/kept").asText(), "yes")
            && (current
                ? spec.path("grams").asInt() == grams
                    && Objects.equals(spec.path("insurance").asText(), insurance)
                : Objects.equals(spec.path("weight").asText(), grams + "g"));
    if (!same) {
      losses.add("%d g, %s, %s, but: %s".formatted(grams, note, insurance, parcel));
    }
  }

  /** Returns whether the last change has been reconciled. */
  boolean isReconciled(JsonNode parcel) {
    return parcel.at("/status/generation").asLong() == parcel.at("/metadata/generation").asLong()
        && parcel.at("/status/grams").asInt() == grams;
  }

  String name() {
    return name;
  }

  private HttpResponse<String> send(String method, String path, String body) throws Exception {
    return http.send(
        HttpRequest.newBuilder(URI.create(server.url() + path))
            .header("Authorization", "Bearer " + token)
            .header(
                "Content-Type",
                method.equals("PATCH") ? "application/merge-patch+json" : "application/json")
            .method(method, BodyPublishers.ofString(body))
            .build(),
        BodyHandlers.ofString());
  }
}
