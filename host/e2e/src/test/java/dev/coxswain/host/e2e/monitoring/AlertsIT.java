// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.marcnuri.helm.Helm;
import dev.coxswain.host.e2e.process.DebianPackages;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.Yaml;

/** The alert rules of the chart, examined by Prometheus's own tool. */
class AlertsIT {

  private static final Path CHART = Path.of("..", "chart").toAbsolutePath().normalize();
  private static final Path GUIDE = Path.of("..", "..", "docs", "guides", "alerts.md");
  private static final Path TESTS = Path.of("src", "test", "resources", "alerts.yaml");

  private static final Path BOARD = CHART.resolve("dashboards").resolve("coxswain.json");

  /** What each replica has alone: only the sum is the whole. */
  private static final Set<String> OWN =
      Set.of(
          "controller_runtime_active_workers",
          "controller_runtime_max_concurrent_reconciles",
          "coxswain_controller_condition", // the board counts the replicas
          "coxswain_limiter_degraded", // the same
          "coxswain_limiter_waiters",
          "coxswain_queue_failing_items",
          "coxswain_queue_items",
          "coxswain_queue_overdue_items",
          "coxswain_replica_lease_acting");

  /** What replicas serve alike, or what cannot be added: a sum would count it once for each. */
  private static final Set<String> ALIKE =
      Set.of(
          "coxswain_cache_age_seconds",
          "coxswain_cache_objects",
          "coxswain_cache_synced",
          "coxswain_config_last_reload_successful",
          "coxswain_controller_condition",
          "coxswain_limiter_capacity",
          "coxswain_limiter_degraded",
          "coxswain_limiter_majority",
          "coxswain_limiter_members",
          "coxswain_limiter_refill_rate",
          "coxswain_limiter_tokens",
          "coxswain_limiter_worst_window_excess",
          "coxswain_queue_oldest_ready_seconds",
          "coxswain_queue_paused",
          "coxswain_queue_paused_causes",
          "coxswain_slot_map_rejected",
          "coxswain_slot_unowned_seconds",
          "coxswain_slots");

  /** An aggregation of one metric: its operator, its labels, and the metric. */
  private static final Pattern AGGREGATION =
      Pattern.compile(
          "(?<![a-z_])(sum|max|min|avg)(?: by \\(([^)]*)\\))? ?\\((?:(?:rate|increase)\\()?([a-z_]+)\\{");

  @TempDir private Path folder;

  @Test
  void eachAlert_firesWhenItShould_andOnlyThen() throws Exception {
    DebianPackages.install("promtool", "prometheus");
    Map<?, ?> spec = spec();
    Path rules = Files.writeString(folder.resolve("rules.yaml"), new Yaml().dump(spec));
    assertThat(DebianPackages.run("promtool", "check", "rules", rules.toString()))
        .contains("SUCCESS: " + alerts(spec).size() + " rules found");
    Path tests = Files.copy(TESTS, folder.resolve("alerts.yaml"));
    assertThat(DebianPackages.run("promtool", "test", "rules", tests.toString()))
        .contains("SUCCESS");
    String text = Files.readString(TESTS);
    for (String name : alerts(spec)) {
      String one = "- alertname: " + name + "\n +eval_time: \\w+\n +exp_alerts:";
      assertThat(text).as("a test in which it fires").containsPattern(one + "\n");
      assertThat(text).as("a test in which it does not").containsPattern(one + " \\[]\n");
    }
  }

  @Test
  void eachAlert_hasASectionInTheGuide_toWhichItPoints() throws Exception {
    String guide = Files.readString(GUIDE);
    Map<?, ?> spec = spec();
    for (String name : alerts(spec)) {
      assertThat(guide).contains("## " + name + "\n");
      assertThat(spec.toString())
          .contains("docs/guides/alerts.md#" + name.toLowerCase(Locale.ROOT));
    }
  }

  @Test
  void eachMetricOfAnAlert_isInTheReference() throws Exception {
    String reference = Files.readString(Path.of("..", "..", "docs", "reference", "metrics.md"));
    String text = spec() + Files.readString(GUIDE);
    var metric = Pattern.compile("(coxswain|workqueue|rest_client)_[a-z_]+").matcher(text);
    TreeSet<String> names = new TreeSet<>();
    while (metric.find()) {
      names.add(metric.group());
    }
    assertThat(names).hasSizeGreaterThan(5).allMatch(name -> reference.contains("`" + name + "`"));
  }

  @Test
  void aQuery_sumsWhatReplicasHaveAlone_andTakesOneOfWhatTheyServeAlike() throws Exception {
    List<String> queries = new ArrayList<>();
    new ObjectMapper()
        .readTree(BOARD.toFile())
        .path("panels")
        .forEach(
            panel -> panel.path("targets").forEach(one -> queries.add(one.path("expr").asText())));
    rules().forEach(rule -> queries.add(String.valueOf(((Map<?, ?>) rule).get("expr"))));
    int checked = 0;
    for (String query : queries) {
      Matcher aggregation = AGGREGATION.matcher(query);
      while (aggregation.find()) {
        String metric = aggregation.group(3);
        List<String> by = Arrays.asList(String.valueOf(aggregation.group(2)).split(", ", -1));
        if (by.contains("pod")) {
          continue;
        }
        checked++;
        boolean counter = metric.matches(".*_(total|bucket)");
        boolean sum = aggregation.group(1).equals("sum");
        assertThat(sum ? counter || OWN.contains(metric) : ALIKE.contains(metric))
            .as("%s of %s in %s", aggregation.group(1), metric, query)
            .isTrue();
      }
    }
    assertThat(checked).isGreaterThan(50);
  }

  private static Map<?, ?> spec() {
    String rendered =
        new Helm(CHART)
            .template()
            .withName("coxswain")
            .withNamespace("default")
            .withKubeVersion("1.33.0")
            .set("prometheusRule.enabled", true)
            .call();
    return StreamSupport.stream(new Yaml().loadAll(rendered).spliterator(), false)
        .filter(Objects::nonNull)
        .map(object -> (Map<?, ?>) object)
        .filter(object -> "PrometheusRule".equals(object.get("kind")))
        .map(object -> (Map<?, ?>) Objects.requireNonNull(object.get("spec")))
        .findFirst()
        .orElseThrow();
  }

  /** Returns the rules of the chart. */
  static List<?> rules() {
    return rules(spec());
  }

  private static List<?> rules(Map<?, ?> spec) {
    Map<?, ?> group = (Map<?, ?>) list(spec, "groups").getFirst();
    return list(group, "rules");
  }

  private static List<String> alerts(Map<?, ?> spec) {
    return rules(spec).stream()
        .map(rule -> String.valueOf(((Map<?, ?>) rule).get("alert")))
        .toList();
  }

  private static List<?> list(Map<?, ?> in, String key) {
    return (List<?>) Objects.requireNonNull(in.get(key));
  }
}
