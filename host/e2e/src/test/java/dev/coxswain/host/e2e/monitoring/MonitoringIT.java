// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.coxswain.host.e2e.process.DebianPackages;
import dev.coxswain.host.e2e.process.Launcher;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.Yaml;

/**
 * What three running replicas serve to a real Prometheus: the names, and the answers to the queries
 * of the boards and alerts. {@code -Dcoxswain.update=true} writes the golden file and the page of
 * evidence again.
 */
@Timeout(600)
class MonitoringIT {

  private static final boolean UPDATE = Boolean.getBoolean("coxswain.update");
  private static final Path RESOURCES = Path.of("src", "test", "resources");
  private static final Path GOLDEN = RESOURCES.resolve("metrics.golden");
  private static final Path DOCS = Path.of("..", "..", "docs");
  private static final Path BOARD = Path.of("..", "chart", "dashboards", "coxswain.json");

  /** Ends the line of a family that is there only after a fault of the network. */
  private static final String RARE = " ?";

  private static final ObjectMapper JSON = new ObjectMapper();

  private static final long LIMIT_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** Scrapes before the queries; enough for a rate, or for figures that are worth a page. */
  private static final int SCRAPES = UPDATE ? 90 : 5;

  private static final int OBJECTS = 40;

  /** A comparison with a number, and what is compared. */
  private static final Pattern COMPARISON = Pattern.compile("(.*[})]) [<>] [0-9]+");

  @TempDir private static Path folder;
  private static final HttpClient HTTP = HttpClient.newHttpClient();
  private static Launcher dev;
  private static JsonNode session;
  private static Prometheus prometheus;

  /** With the installation of a package. */
  @BeforeAll
  @Timeout(600)
  static void start() throws Exception {
    DebianPackages.install("prometheus", "prometheus");
    dev = Launcher.start(folder, Map.of(), "dev", "--json", "--ports=auto", "--replicas=3");
    session = JSON.readTree(dev.firstLine());
    Map<String, String> addresses = new LinkedHashMap<>();
    for (JsonNode replica : session.get("replicas")) {
      dev.child(replica.get("pid").asLong());
      String metrics = replica.get("metrics").asText();
      addresses.put(replica.get("name").asText(), URI.create(metrics).getAuthority());
    }
    prometheus = Prometheus.start(folder, addresses);
    prometheus.await("count(count_over_time(coxswain_build_info[5m]) >= 2) == 3");
    work();
    prometheus.await(
        "count(count_over_time(coxswain_build_info[5m]) >= %d) == 3".formatted(SCRAPES));
  }

  @AfterAll
  static void stop() {
    if (prometheus != null) {
      prometheus.close();
    }
    if (dev != null) {
      dev.close();
    }
    HTTP.close();
  }

  /** Adds objects, most of which fail, so that there is something to measure. */
  private static void work() throws Exception {
    String trials =
        session.get("apiServer").asText()
            + "/apis/error-backoff.coxswain.dev/v1/namespaces/default/trials";
    for (int i = 0; i < OBJECTS; i++) {
      String object =
          """
          {"apiVersion": "error-backoff.coxswain.dev/v1", "kind": "Trial", "metadata": {"name": "more-%d"},
           "spec": {"outcome": "%s"}}
          """
              .formatted(i, i % 4 != 0 ? "Error" : "Done");
      HttpResponse<String> created =
          HTTP.send(
              HttpRequest.newBuilder(URI.create(trials))
                  .header("Content-Type", "application/json")
                  .POST(BodyPublishers.ofString(object))
                  .build(),
              BodyHandlers.ofString());
      assertThat(created.statusCode()).as(created.body()).isEqualTo(201);
    }
  }

  @Test
  void namesTypesAndLabels_areThoseOfTheGoldenFile() throws Exception {
    for (JsonNode replica : session.get("replicas")) {
      get(replica.get("admin").asText() + "/api/v1/replicas"); // asks the others
    }
    List<String> golden = Files.readAllLines(GOLDEN);
    List<String> rare = golden.stream().filter(line -> line.endsWith(RARE)).toList();
    SortedSet<String> usual = new TreeSet<>(golden);
    usual.removeAll(rare);
    SortedSet<String> seen = families();
    long end = System.nanoTime() + LIMIT_NANOS;
    // Some series begin with the first request, response or garbage collection.
    while (!seen.containsAll(usual) && !UPDATE && System.nanoTime() - end < 0) {
      seen = families();
    }
    seen.removeIf(line -> rare.contains(line + RARE));
    if (UPDATE) {
      seen.addAll(rare);
      Files.write(GOLDEN, seen);
    } else {
      assertThat(seen).containsExactlyElementsOf(usual);
    }
  }

  private static SortedSet<String> families() throws Exception {
    List<String> scrapes = new ArrayList<>();
    for (JsonNode replica : session.get("replicas")) {
      scrapes.add(get(replica.get("metrics").asText() + "/metrics"));
    }
    return MetricFamilies.of(scrapes);
  }

  @Test
  void eachFamily_isInTheReference() throws Exception {
    String page = Files.readString(DOCS.resolve("reference").resolve("metrics.md"));
    Matcher row =
        Pattern.compile("(?m)^\\| `(\\w+)` \\| (\\w+) \\| (.*?) \\| .+ \\|$").matcher(page);
    SortedSet<String> described = new TreeSet<>();
    while (row.find()) {
      SortedSet<String> labels = new TreeSet<>();
      Matcher label = Pattern.compile("`(\\w+)`").matcher(row.group(3));
      while (label.find()) {
        labels.add(label.group(1));
      }
      described.add(MetricFamilies.line(row.group(1), row.group(2), labels));
    }
    assertThat(described)
        .containsExactlyElementsOf(
            new TreeSet<>(
                Files.readAllLines(GOLDEN).stream().map(line -> line.replace(RARE, "")).toList()));
  }

  @Test
  void eachQueryOfABoard_andWhatEachAlertCompares_hasData() throws Exception {
    Map<String, Map<String, String>> boards = new LinkedHashMap<>();
    JsonNode own = JSON.readTree(BOARD.toFile());
    boards.put("coxswain", queries(own));
    Map<?, ?> others =
        new Yaml().load(Files.readString(RESOURCES.resolve("kubebuilder-queries.yaml")));
    map(others, "boards")
        .forEach((board, panels) -> {
          Map<String, String> all = new LinkedHashMap<>();
          ((Map<?, ?>) panels)
              .forEach((panel, query) -> all.put(panel.toString(), query.toString()));
          boards.put(board.toString(), all);
        });
    boards.put("alerts, without the comparison", alerts());
    long end = System.nanoTime() + LIMIT_NANOS;
    QueryResults results;
    do { // the first window of retries takes a while
      results = new QueryResults();
      for (var board : boards.entrySet()) {
        for (var query : board.getValue().entrySet()) {
          JsonNode answer = prometheus.query(withValues(query.getValue()));
          results.add(board.getKey(), query.getKey(), query.getValue(), answer);
        }
      }
    } while (!results.withoutData().isEmpty() && System.nanoTime() - end < 0);
    assertThat(results.withoutData()).as("queries without data").isEmpty();
    if (UPDATE) {
      results.write(DOCS.resolve("evidence").resolve("monitoring.md"));
    }
  }

  @Test
  void eachVariableOfABoard_hasValues() throws Exception {
    Map<?, ?> others =
        new Yaml().load(Files.readString(RESOURCES.resolve("kubebuilder-queries.yaml")));
    Map<String, String> variables = new LinkedHashMap<>();
    map(others, "variables").forEach((name, of) -> variables.put(name.toString(), of.toString()));
    for (String name : variables.keySet()) {
      String selector = withValues(Objects.requireNonNull(variables.get(name)));
      assertThat(prometheus.values(name, selector)).as("%s of %s", name, selector).isNotEmpty();
    }
    Pattern values = Pattern.compile("label_values\\((.*), (\\w+)\\)");
    int own = 0;
    for (JsonNode variable : JSON.readTree(BOARD.toFile()).at("/templating/list")) {
      Matcher query = values.matcher(variable.at("/query/query").asText());
      if (query.matches()) {
        own++;
        assertThat(prometheus.values(query.group(2), withValues(query.group(1))))
            .as(query.group())
            .isNotEmpty();
      }
    }
    assertThat(own).isEqualTo(3);
  }

  /** The samples of the guide; DeployingPageIT gives the first to an API server. */
  @Test
  void autoscalersOfTheGuide_followWhatReplicasServe() throws Exception {
    String guide = Files.readString(DOCS.resolve("guides").resolve("deploying.md"));
    JsonNode values = yaml(Files.readString(BOARD.resolve("../../values.yaml").normalize()));
    JsonNode keda = block(guide, "apiVersion: keda.sh/v1alpha1");
    assertThat(keda.at("/spec/scaleTargetRef/name").asText()).isEqualTo("coxswain");
    JsonNode trigger = keda.at("/spec/triggers/0/metadata");
    assertThat(trigger).allMatch(JsonNode::isTextual); // KEDA refuses numbers
    prometheus.await(trigger.path("query").asText());
    JsonNode hpa = block(guide, "apiVersion: autoscaling/v2");
    JsonNode metric = hpa.at("/spec/metrics/0/external");
    assertThat(metric.at("/target/value")).isEqualTo(trigger.path("threshold"));
    JsonNode rule = block(guide, "externalRules:").at("/externalRules/0");
    prometheus.await(rule.path("seriesQuery").asText());
    prometheus.await(
        rule.path("metricsQuery")
            .asText()
            .replace("<<.Series>>", metric.at("/metric/name").asText())
            .replace("<<.LabelMatchers>>", "namespace=\"default\""));
    assertThat(hpa.at("/spec/maxReplicas").asInt())
        .isEqualTo(keda.at("/spec/maxReplicaCount").asInt())
        .isLessThan(values.path("maxReplicas").asInt());
  }

  private static JsonNode block(String guide, String begin) {
    int start = guide.indexOf("\n" + begin);
    return yaml(guide.substring(start, guide.indexOf("```", start)));
  }

  private static JsonNode yaml(String text) {
    return JSON.valueToTree(new Yaml().load(text));
  }

  /**
   * Returns what each alert compares, after the whole rule was accepted. AlertsIT shows when it
   * fires.
   */
  private static Map<String, String> alerts() throws Exception {
    Map<String, String> compared = new LinkedHashMap<>();
    for (Object one : AlertsIT.rules()) {
      Map<?, ?> rule = (Map<?, ?>) one;
      String expression = String.valueOf(rule.get("expr"));
      prometheus.query(expression);
      Matcher comparison = COMPARISON.matcher(expression);
      if (comparison.matches()) {
        // Nothing is refused here, so what has other codes stands for it.
        compared.put(
            String.valueOf(rule.get("alert")),
            comparison.group(1).replaceAll(", code=~\"[^\"]*\"", ""));
      } else {
        assertThat(expression).as("from kube-state-metrics").startsWith("kube_");
      }
    }
    assertThat(compared).hasSizeGreaterThan(6);
    return compared;
  }

  /** Returns the queries of our board, by the panel and the legend of each. */
  private static Map<String, String> queries(JsonNode board) {
    Map<String, String> queries = new LinkedHashMap<>();
    for (JsonNode panel : board.get("panels")) {
      for (JsonNode target : panel.path("targets")) {
        String name = panel.get("title").asText() + ": " + target.get("legendFormat").asText();
        assertThat(queries.put(name, target.get("expr").asText())).as(name).isNull();
      }
    }
    assertThat(queries).hasSizeGreaterThan(30);
    return queries;
  }

  /** Chooses values of the variables, as a person does who looks at a board. */
  private static String withValues(String query) {
    return query
        .replace("$namespace", "default")
        .replace("$job", "coxswain-metrics")
        .replace("$pod", "coxswain-0")
        .replace("$controller", ".*")
        .replace("$__rate_interval", "5m");
  }

  private static Map<?, ?> map(Map<?, ?> in, String key) {
    return (Map<?, ?>) Objects.requireNonNull(in.get(key));
  }

  private static String get(String url) throws Exception {
    HttpResponse<String> response =
        HTTP.send(
            HttpRequest.newBuilder(URI.create(url))
                .header("Authorization", "Bearer " + session.get("adminToken").asText())
                .build(),
            BodyHandlers.ofString());
    assertThat(response.statusCode()).as(url + " " + response.body()).isEqualTo(200);
    return response.body();
  }
}
