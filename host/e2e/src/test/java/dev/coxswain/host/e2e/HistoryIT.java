// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.testing.Await;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Three real replicas that are replaced one by one, after an operation and an audited change. */
@Order(1) // takes long
class HistoryIT {

  private static final Duration LIMIT = Duration.ofMinutes(3);
  private static final int REPLICAS = 3;
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Pattern ADMIN = Pattern.compile("admin API listening .*port=\"?(\\d+)");
  private static final String FAILING = "/controllers/failing";

  @TempDir private Path folder;
  private final HttpClient http = HttpClient.newHttpClient();
  private final EmbeddedApiServer server =
      EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
  private final List<Launcher> all = new ArrayList<>();
  private final List<Launcher> running = new ArrayList<>();

  @AfterEach
  void close() {
    all.forEach(Launcher::close);
    http.close();
    server.close();
  }

  @Test
  void whatHasEnded_isShownUnchanged_afterAllReplicasWereReplaced() throws Exception {
    String classes = FailingPlugin.put(folder).toString();
    String starts = Files.createDirectory(folder.resolve("starts")).toString();
    for (int i = 0; i < REPLICAS; i++) {
      replace(classes, starts);
    }
    awaitAll();
    Await.until(LIMIT, () -> get(0, FAILING).path("failing").asInt() > 0);
    String id =
        change(
                1,
                FAILING + "/operations",
                "{\"action\":\"forget\",\"selector\":{\"failing\":true},\"maxAffected\":100000,"
                    + "\"reason\":\"INC-1\"}")
            .path("id")
            .asText();
    Await.until(LIMIT, () -> !get(1, "/operations/" + id).path("state").asText().equals("Running"));
    JsonNode over = content(get(1, "/operations/" + id));
    assertThat(over.path("parts")).hasSize(REPLICAS);
    change(2, FAILING + "/resume", "{\"reason\":\"INC-2\"}");
    List<JsonNode> records = records();
    assertThat(records.toString()).contains("INC-1", "INC-2");

    for (int i = 0; i < REPLICAS; i++) {
      replace(classes, starts);
    }
    awaitAll();
    for (int i = 0; i < REPLICAS; i++) {
      assertThat(content(get(i, "/operations/" + id))).isEqualTo(over);
      assertThat(content(get(i, "/operations").at("/items/0"))).isEqualTo(over);
    }
    assertThat(records()).isEqualTo(records);
  }

  /** Starts a replica; when it is ready, the oldest of three ends. */
  private void replace(String classes, String starts) throws Exception {
    Path kubeconfig = folder.resolve("kubeconfig");
    Files.writeString(kubeconfig, server.kubeconfig());
    Map<String, String> environment = new HashMap<>(Distribution.freePorts());
    environment.put("COXSWAIN_CLASSPATH", classes);
    environment.put("COXSWAIN_REPLICA_NAME", "r" + all.size());
    Launcher replica =
        Launcher.start(
            folder,
            environment,
            "run",
            "--kubeconfig",
            kubeconfig.toString(),
            "--set=admin.auth.mode=none",
            "--set=changes.safeCount=100000",
            "--set=controllers.failing.config.folder=" + starts);
    all.add(replica);
    replica.await("its start", LIMIT, () -> replica.output().contains("host started"));
    if (running.size() == REPLICAS) {
      Launcher oldest = running.removeFirst();
      oldest.terminate();
      assertThat(oldest.exitCode(LIMIT)).as(oldest.output()).isZero();
    }
    running.add(replica);
  }

  /** Waits until each replica receives the responses of the three, and of no others. */
  private void awaitAll() throws Exception {
    for (int i = 0; i < REPLICAS; i++) {
      int replica = i;
      Await.until(
          LIMIT,
          () -> {
            JsonNode replicas = get(replica, "/replicas");
            return replicas.path("items").size() == REPLICAS
                && !replicas.path("partial").asBoolean();
          });
      Await.until(LIMIT, () -> !get(replica, FAILING).path("partial").asBoolean(true));
    }
  }

  /** Returns the records of changes; the count before an operation changes nothing. */
  private List<JsonNode> records() throws Exception {
    List<JsonNode> records = new ArrayList<>();
    get(0, "/audit?limit=500").path("items").forEach(records::add);
    records.removeIf(record -> record.path("result").asText().equals("preview"));
    return records;
  }

  /** Returns a response without the names of the replicas that answered. */
  private static JsonNode content(JsonNode response) {
    return response.<ObjectNode>deepCopy().without(List.of("replica", "replicas", "partial"));
  }

  private JsonNode get(int replica, String path) throws Exception {
    return send(HttpRequest.newBuilder(address(replica, path)));
  }

  private JsonNode change(int replica, String path, String body) throws Exception {
    return send(
        HttpRequest.newBuilder(address(replica, path))
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(body)));
  }

  private JsonNode send(HttpRequest.Builder request) throws Exception {
    HttpResponse<String> response =
        http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    assertThat(response.statusCode()).as(response.body()).isBetween(200, 299);
    return JSON.readTree(response.body());
  }

  private URI address(int replica, String path) throws Exception {
    Matcher port = ADMIN.matcher(running.get(replica).output());
    assertThat(port.find()).as(running.get(replica).output()).isTrue();
    return URI.create("http://127.0.0.1:" + port.group(1) + "/api/v1" + path);
  }
}
