// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.marcnuri.helm.Helm;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
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
