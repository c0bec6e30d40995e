// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.internal.run;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.KubernetesRuntime;
import dev.coxswain.k8s.cache.CacheOptions;
import dev.coxswain.k8s.client.Json;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.client.ServerAccess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Pattern;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;

/**
 * An embedded API server for many runs, one after the other, with those of further clusters.
 *
 * <p>Thread rule: any thread that may block.
 */
public final class TestServer implements AutoCloseable {

  /** An informer that lost its watch reads again at once: nothing is gained by waiting. */
  private static final CacheOptions CACHES =
      CacheOptions.DEFAULT
          .withMinBackoff(Duration.ofMillis(1))
          .withMaxBackoff(Duration.ofMillis(10))
          .withAbsentApiWait(Duration.ofMillis(10));

  private static final String DEFINITION = "CustomResourceDefinition";
  private static final Pattern DOCUMENTS = Pattern.compile("(?m)^---\\s*$");

  private final Instant begin;

  /** The clock of the time stamps of objects: that of the run. */
  private volatile InstantSource clock = InstantSource.system();

  private final EmbeddedApiServer server =
      EmbeddedApiServer.startBlocking(
          EmbeddedApiServerOptions.defaults()
              .withShardedListAndWatch(true) // without a selector it changes nothing
              .withBookmarkInterval(Duration.ofHours(1))
              .withClock(() -> clock.instant()));
  private final OkHttpClient http = new OkHttpClient();

  /** The specifications of the definitions of each document that was installed. */
  private final Map<String, Map<String, JsonObject>> installed = new HashMap<>();

  private final Map<String, JsonObject> inUse = new HashMap<>();

  /** The servers of further clusters by name; they stay for the next test that has the cluster. */
  private final Map<String, TestServer> others = new TreeMap<>();

  /** The names of the further clusters of this test. */
  private final Set<String> added = new TreeSet<>();

  private volatile Map<String, JsonObject> kept = Map.of();

  /** Starts a server whose runs begin at the present. */
  public TestServer() {
    this(Instant.now().truncatedTo(ChronoUnit.SECONDS));
  }

  private TestServer(Instant begin) {
    this.begin = begin;
  }

  /**
   * Starts another server, whose runs are the same: they begin at the same time of day, and with the
   * definitions that were kept.
   */
  public synchronized TestServer another() {
    TestServer other = new TestServer(begin);
    other.kept = kept;
    added.forEach(name -> other.others.put(name, other(name).another()));
    other.added.addAll(added);
    return other;
  }

  /** Returns the server of a further cluster, which is empty when the cluster is new in this test. */
  public synchronized TestServer add(String cluster) {
    TestServer other = others.computeIfAbsent(cluster, _ -> new TestServer(begin));
    if (added.add(cluster)) {
      other.clear();
    }
    return other;
  }

  private TestServer other(String cluster) {
    return Objects.requireNonNull(others.get(cluster));
  }

  /** Returns the servers of all clusters of this test by name, this one by an empty name. */
  synchronized Map<String, TestServer> clusters() {
    Map<String, TestServer> all = new TreeMap<>(Map.of("", this));
    added.forEach(name -> all.put(name, other(name)));
    return all;
  }

  /** Ends a test: the next one has no further clusters, unless it adds them. */
  public synchronized void endTest() {
    clusters()
        .values()
        .forEach(one -> {
          one.beginUse();
          one.server.faults().reset();
        });
    added.clear();
  }

  /** Removes all objects and faults, in all clusters. */
  public void clear() {
    clusters()
        .values()
        .forEach(one -> {
          one.server.faults().reset();
          one.server.state().clear();
        });
  }

  /**
   * Waits until all watches have what was written, in all clusters.
   *
   * @return the versions by the names of the clusters
   */
  public Map<String, Long> settle() {
    Map<String, Long> versions = new TreeMap<>();
    clusters().forEach((name, one) -> versions.put(name, one.server.state().settle()));
    return versions;
  }

  /** Returns all objects by the names of the clusters. */
  public Map<String, List<String>> objects() {
    Map<String, List<String>> all = new TreeMap<>();
    clusters().forEach((name, one) -> all.put(name, one.server.state().objects()));
    return all;
  }

  /** Returns where something is or happens: the end of a sentence, empty in the first cluster. */
  static String in(String cluster) {
    return cluster.isEmpty() ? "" : " in " + cluster;
  }

  /** Returns the wall clock at the begin of each run. */
  Instant begin() {
    return begin;
  }

  /** Returns the server. */
  public EmbeddedApiServer api() {
    return server;
  }

  /**
   * Applies definitions, unless they are there.
   *
   * @throws IllegalArgumentException for another definition of a name that was installed in this use
   */
  public synchronized void install(String yaml) {
    for (String document : DOCUMENTS.split(yaml, -1)) {
      if (!document.isBlank()) {
        installOne(document);
      }
    }
  }

  private void installOne(String document) {
    Map<String, JsonObject> known = installed.get(document);
    if (known == null || !definitions(false).entrySet().containsAll(known.entrySet())) {
      server.apply(document);
      server.state().settle();
      Map<String, JsonObject> now = definitions(false);
      now.keySet().removeIf(name -> !document.contains(name));
      installed.put(document, now);
      known = now;
    }
    known.forEach((name, spec) -> {
      if (!inUse.computeIfAbsent(name, _ -> spec).equals(spec)) {
        throw new IllegalArgumentException(
            "two different definitions of "
                + name
                + " are installed; apply the second one as a step"
                + " if it replaces the first one");
      }
    });
  }

  /**
   * Applies objects for the user of the cluster: webhooks decide on them. Their namespaces are created
   * as far as they are missing, as at a cluster of which the tests have no others.
   *
   * @throws IllegalArgumentException for objects that the server refuses
   */
  public void apply(String yaml) {
    for (String namespace : namespaces(yaml)) {
      if (!exists(namespace)) {
        server.apply("{apiVersion: v1, kind: Namespace, metadata: {name: \"" + namespace + "\"}}");
      }
    }
    server.applyReviewed(yaml);
  }

  /** Returns the namespaces that objects are in, without those that are among them. */
  private static Set<String> namespaces(String yaml) {
    Set<String> used = new TreeSet<>();
    Set<String> made = new TreeSet<>();
    try {
      for (JsonObject document : DocumentReader.all(yaml)) {
        JsonElement metadata = document.get("metadata");
        used.add(Json.text(metadata, "namespace"));
        if (Json.text(document, "kind").equals("Namespace")) {
          made.add(Json.text(metadata, "name"));
        }
      }
    } catch (IllegalArgumentException e) {
      return Set.of(); // the server refuses it with a better message
    }
    used.removeAll(made);
    used.removeAll(Set.of("", "default"));
    return used;
  }

  private boolean exists(String namespace) {
    String url = server.url() + "/api/v1/namespaces/" + namespace;
    try (Response response = http.newCall(new Request.Builder().url(url).build()).execute()) {
      return response.code() != HttpURLConnection.HTTP_NOT_FOUND;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Begins another use: definitions of the one before may be replaced. */
  public synchronized void beginUse() {
    inUse.clear();
  }

  /** Applies definitions in all clusters, and keeps those that they have then. */
  public void keepDefinitions(List<String> installed) {
    clusters()
        .values()
        .forEach(one -> {
          one.beginUse();
          installed.forEach(one::install);
          one.kept = one.definitions(true);
        });
  }

  /** Serves the definitions that were kept, and no others, in all clusters. */
  public void restoreDefinitions() {
    clusters().values().forEach(TestServer::restoreOwnDefinitions);
  }

  private synchronized void restoreOwnDefinitions() {
    Map<String, JsonObject> now = definitions(true);
    if (now.equals(kept)) {
      return;
    }
    now.keySet().stream().filter(name -> !kept.containsKey(name)).forEach(this::remove);
    kept.forEach((name, spec) -> {
      if (!spec.equals(now.get(name))) {
        JsonObject metadata = new JsonObject();
        metadata.addProperty("name", name);
        JsonObject definition = new JsonObject();
        definition.addProperty("apiVersion", "apiextensions.k8s.io/v1");
        definition.addProperty("kind", DEFINITION);
        definition.add("metadata", metadata);
        definition.add("spec", spec);
        server.apply(definition.toString());
      }
    });
    server.state().settle();
  }

  private void remove(String definition) {
    Request delete =
        new Request.Builder()
            .url(
                server.url()
                    + "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/"
                    + definition)
            .delete()
            .build();
    try (Response response = http.newCall(delete).execute()) {
      if (!response.isSuccessful()) {
        throw new IllegalStateException(
            "cannot remove the definition " + definition + ": " + response.code());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the specifications of all definitions by their names, perhaps without their conversion. */
  private Map<String, JsonObject> definitions(boolean whole) {
    Map<String, JsonObject> found = new TreeMap<>();
    for (String text : server.state().objects()) {
      JsonObject object = JsonParser.parseString(text).getAsJsonObject();
      JsonObject metadata = object.getAsJsonObject("metadata");
      if (object.get("kind").getAsString().equals(DEFINITION)
          && !metadata.has("deletionTimestamp")) {
        JsonObject spec = object.getAsJsonObject("spec");
        if (!whole) {
          spec.remove("conversion"); // that of a run is registered by it
        }
        found.put(metadata.get("name").getAsString(), spec);
      }
    }
    return found;
  }

  /** Stamps objects with the time of a run from now on. */
  void follow(KitTime time) {
    clusters().values().forEach(one -> one.clock = time::instant);
  }

  /** Stamps objects with the time of the system again. */
  void unfollow() {
    clusters().values().forEach(one -> one.clock = InstantSource.system());
  }

  /** Returns the access to it in real time. */
  public ServerAccess access() {
    return ServerAccess.of(server.url(), http);
  }

  /**
   * Returns a client of all clusters.
   *
   * @param interceptors what the requests to a cluster pass, by its name
   */
  Kubernetes client(
      Function<String, Interceptor> interceptors, boolean streamedLists, KitTime time) {
    List<Kubernetes> clients = new ArrayList<>();
    clusters()
        .forEach((name, one) -> {
          OkHttpClient passing = http.newBuilder().addInterceptor(interceptors.apply(name)).build();
          clients.add(
              Kubernetes.of(
                  ServerAccess.of(one.server.url(), passing),
                  KubernetesOptions.DEFAULT.withCluster(name).withStreamedLists(streamedLists),
                  CACHES,
                  time));
        });
    return KubernetesRuntime.of(clients.removeFirst()).withClusters(clients);
  }

  @Override
  public void close() {
    others.values().forEach(TestServer::close);
    http.connectionPool().evictAll();
    server.close();
  }
}
