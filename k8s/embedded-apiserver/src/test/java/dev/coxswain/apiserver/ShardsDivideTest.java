// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Shard selectors that divide the hashes divide the objects: of a built-in kind and of a custom
 * resource, in lists, pages, watches and streamed lists.
 */
class ShardsDivideTest {
  private static final String MAPS = "/api/v1/configmaps";
  private static final String WIDGETS = "/apis/example.com/v1/widgets";
  private static final int NAMESPACES = 9;
  private static final int OBJECTS = 40;
  private static final int SHARES = 4;

  private final EmbeddedApiServer server =
      EmbeddedApiServer.startBlocking(
          EmbeddedApiServerOptions.defaults()
              .withShardedListAndWatch(true)
              .withBookmarkInterval(Duration.ofMillis(20)));
  private final Http http = new Http(server);

  @BeforeEach
  void install() {
    for (int i = 0; i < NAMESPACES; i++) {
      http.post("/api/v1/namespaces", "{\"metadata\":{\"name\":\"team-" + i + "\"}}");
    }
    server.apply(Definitions.of("Widget"));
  }

  @AfterEach
  void close() {
    http.close();
    server.close();
  }

  @ParameterizedTest
  @CsvSource({MAPS + ", uid", MAPS + ", namespace", WIDGETS + ", uid", WIDGETS + ", namespace"})
  void everyReading_givesEachObjectToOneShare(String path, String field)
      throws IOException, InterruptedException {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    String version = version(path);
    Map<String, JsonNode> objects = create(path, random);
    List<String> values = objects.values().stream().map(o -> value(o, field)).toList();
    Map<String, List<String>> union = new HashMap<>();
    for (HashRanges share : HashRanges.shares(field, SHARES, values, random)) {
      String selected = path + "?" + share.parameter();
      Map<String, List<String>> found =
          Map.of(
              "list", keys(http.get(selected)),
              "pages", pages(selected, 1 + random.nextInt(4)),
              "streamed list", streamed(selected),
              "watch", sorted(events(selected, version)));
      for (Map.Entry<String, List<String>> way : found.entrySet()) {
        assertThat(way.getValue())
            .as("%s of %s, seed %d", way.getKey(), share, seed)
            .isEqualTo(expected(objects, share));
        union.computeIfAbsent(way.getKey(), w -> new ArrayList<>()).addAll(way.getValue());
      }
    }
    union.forEach((way, keys) ->
        assertThat(sorted(keys))
            .as("%s of all shares, seed %d", way, seed)
            .isEqualTo(List.copyOf(objects.keySet())));
  }

  @ParameterizedTest
  @CsvSource({MAPS + ", uid", MAPS + ", namespace", WIDGETS + ", uid", WIDGETS + ", namespace"})
  void everyEvent_goesToTheWatchOfOneShare(String path, String field)
      throws IOException, InterruptedException {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    List<HashRanges> shares = HashRanges.shares(field, SHARES, List.of(), random);
    List<Http.Watch> watches = new ArrayList<>();
    try {
      for (HashRanges share : shares) {
        watches.add(http.watch(path + "?watch=true&allowWatchBookmarks=true&" + share.parameter()));
      }
      Map<String, JsonNode> objects = create(path, random);
      objects.forEach((key, object) -> {
        String at = inside(path, value(object, "namespace")) + "/" + value(object, "name");
        http.merge(at, "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}");
        http.delete(at);
      });
      String version = version(path);
      for (int i = 0; i < SHARES; i++) {
        HashRanges share = shares.get(i);
        Map<String, List<String>> got = until(watches.get(i), version);
        assertThat(got)
            .as("watch of %s, seed %d", share, seed)
            .hasSize(expected(objects, share).size());
        expected(objects, share)
            .forEach(key ->
                assertThat(got.get(key))
                    .as("events of %s, watch of %s, seed %d", key, share, seed)
                    .containsExactly("ADDED", "MODIFIED", "DELETED"));
      }
    } finally {
      for (Http.Watch watch : watches) {
        watch.close();
      }
    }
  }

  private static List<String> expected(Map<String, JsonNode> objects, HashRanges share) {
    return objects.entrySet().stream()
        .filter(e -> share.contain(value(e.getValue(), share.field())))
        .map(Map.Entry::getKey)
        .toList();
  }

  private Map<String, JsonNode> create(String path, Random random) {
    Map<String, JsonNode> objects = new TreeMap<>();
    for (int i = 0; i < OBJECTS; i++) {
      String namespace = "team-" + random.nextInt(NAMESPACES);
      String body =
          path.equals(MAPS)
              ? "{\"metadata\":{\"name\":\"o" + i + "\"}}"
              : "{\"apiVersion\":\"example.com/v1\",\"kind\":\"Widget\",\"metadata\":{\"name\":\"o"
                  + i
                  + "\"}}";
      Http.Answer made = http.post(inside(path, namespace), body);
      assertThat(made.status()).as(made.raw().body()).isEqualTo(201);
      objects.put(key(made.body()), made.body());
    }
    return objects;
  }

  private static String inside(String path, String namespace) {
    return path.replace("/v1/", "/v1/namespaces/" + namespace + "/");
  }

  private String version(String path) {
    return http.get(path).body().at("/metadata/resourceVersion").asText();
  }

  private static String value(JsonNode object, String field) {
    return object.at("/metadata/" + field).asText();
  }

  private static String key(JsonNode object) {
    return value(object, "namespace") + "/" + value(object, "name");
  }

  private static List<String> sorted(List<String> keys) {
    return keys.stream().sorted().toList();
  }

  private static List<String> keys(Http.Answer list) {
    assertThat(list.status()).as(list.raw().body()).isEqualTo(200);
    List<String> keys = new ArrayList<>();
    list.body().path("items").forEach(item -> keys.add(key(item)));
    return keys;
  }

  private List<String> pages(String selected, int limit) {
    List<String> keys = new ArrayList<>();
    String token = "";
    do {
      Http.Answer page = http.get(selected + "&limit=" + limit + "&continue=" + token);
      List<String> found = keys(page);
      token = page.body().at("/metadata/continue").asText();
      assertThat(found).hasSizeLessThanOrEqualTo(limit);
      assertThat(token.isEmpty() || found.size() == limit).as("a full page").isTrue();
      keys.addAll(found);
    } while (!token.isEmpty());
    return keys;
  }

  /** Returns the objects of a streamed list, up to the bookmark behind them. */
  private List<String> streamed(String selected) throws IOException, InterruptedException {
    List<String> keys = new ArrayList<>();
    try (Http.Watch watch =
        http.watch(
            selected
                + "&watch=true&allowWatchBookmarks=true&sendInitialEvents=true"
                + "&resourceVersionMatch=NotOlderThan")) {
      JsonNode event = watch.next();
      for (; event.path("type").asText().equals("ADDED"); event = watch.next()) {
        keys.add(key(event.path("object")));
      }
      assertThat(event.at("/object/metadata/annotations/k8s.io~1initial-events-end").asText())
          .isEqualTo("true");
    }
    return keys;
  }

  /** Returns what was created since a version; nothing else may come before the bookmark. */
  private List<String> events(String selected, String version)
      throws IOException, InterruptedException {
    try (Http.Watch watch =
        http.watch(selected + "&watch=true&allowWatchBookmarks=true&resourceVersion=" + version)) {
      Map<String, List<String>> events = until(watch, version(MAPS));
      assertThat(events.values()).allMatch(types -> types.equals(List.of("ADDED")));
      return List.copyOf(events.keySet());
    }
  }

  /** Returns the types of the events of each object, up to a bookmark that is not older. */
  private static Map<String, List<String>> until(Http.Watch watch, String version)
      throws InterruptedException {
    Map<String, List<String>> events = new TreeMap<>();
    while (true) {
      JsonNode event = watch.next();
      JsonNode object = event.path("object");
      if (!event.path("type").asText().equals("BOOKMARK")) {
        events
            .computeIfAbsent(key(object), k -> new ArrayList<>())
            .add(event.path("type").asText());
      } else if (object.at("/metadata/resourceVersion").asLong() >= Long.parseLong(version)) {
        return events;
      }
    }
  }
}
