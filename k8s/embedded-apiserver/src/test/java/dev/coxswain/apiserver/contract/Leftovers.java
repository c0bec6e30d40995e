// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.contract;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * What scenarios have created, and its removal. Only what was created counts: an object that was
 * there before is never touched.
 *
 * <p>Thread rule: one thread.
 */
final class Leftovers {
  private static final String DEFINITIONS =
      "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  private static final String DELETE_OPTIONS =
      "{\"propagationPolicy\":\"Background\",\"gracePeriodSeconds\":0}";
  private static final String NO_FINALIZERS = "{\"metadata\":{\"finalizers\":null}}";

  /** Their finalizers belong to the server, which takes them off itself. */
  private static final Set<String> FINALIZED_BY_SERVER =
      Set.of("Namespace", "CustomResourceDefinition");

  private static final int POLL_MILLIS = 100;

  private final ContractServer server;
  private final Deque<String> created = new ArrayDeque<>();
  private final Set<String> going = new TreeSet<>();

  Leftovers(ContractServer server) {
    this.server = server;
  }

  /** Notes an object that is there now, or may be. */
  void created(String path) {
    created.push(path);
  }

  /**
   * Requests the removal of everything noted, the last first, and of all definitions of a group; it
   * goes in its own time.
   */
  void remove(String group) throws IOException, InterruptedException {
    for (JsonNode definition : server.get(DEFINITIONS).body().path("items")) {
      if (definition.at("/spec/group").asText().endsWith(group)) {
        created(DEFINITIONS + "/" + definition.at("/metadata/name").asText());
      }
    }
    while (!created.isEmpty()) {
      String path = created.pop();
      if (!insideNamespace(path)) {
        going.add(path);
      }
      ContractServer.Answer answer =
          server.call("DELETE", path, "application/json", DELETE_OPTIONS);
      boolean held = !answer.body().at("/metadata/finalizers").isEmpty();
      if (held && !FINALIZED_BY_SERVER.contains(answer.body().path("kind").asText())) {
        server.call("PATCH", path, "application/merge-patch+json", NO_FINALIZERS);
      }
    }
  }

  private static boolean insideNamespace(String path) {
    return path.matches(".*/namespaces/[^/]+/.+");
  }

  /** Waits until all that was removed is gone; returns what is not, when the limit is over. */
  List<String> afterwards(int limitSeconds) throws IOException, InterruptedException {
    long end = System.nanoTime() + limitSeconds * 1_000_000_000L;
    List<String> left = new ArrayList<>(going);
    while (true) {
      for (String path : List.copyOf(left)) {
        if (server.get(path).status() == 404) {
          left.remove(path);
        }
      }
      if (left.isEmpty() || System.nanoTime() >= end) {
        return left;
      }
      Thread.sleep(POLL_MILLIS); // polling interval, not a guess at a duration
    }
  }
}
