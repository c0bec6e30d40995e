// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.project;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.examples.cron.CronController;
import dev.coxswain.host.internal.config.ConfigurationLoader;
import dev.coxswain.host.internal.dev.author.AuthorClasses;
import dev.coxswain.host.internal.dev.author.AuthorRights;
import dev.coxswain.host.internal.jvm.StallLimit;
import dev.coxswain.host.internal.lifecycle.HostException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is read from a chart of an author. */
class ChartFileTest {

  private static final StallLimit LIMIT = new StallLimit(StallLimit.DEFAULT);

  @TempDir private Path folder;

  private ChartFile read() throws Exception {
    Path file = folder.resolve("shop-1.2.0-chart.tgz");
    new ProcessBuilder("tar", "-czf", file.toString(), "shop")
        .directory(folder.toFile())
        .inheritIO()
        .start()
        .waitFor();
    return ChartFile.read(file, Files.createTempDirectory(folder, "read"), LIMIT);
  }

  private void write(String name, String text) throws IOException {
    Path file = folder.resolve("shop").resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }

  private static AuthorRights rights() throws Exception {
    Path examples =
        Path.of(CronController.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    try (AuthorClasses classes = AuthorClasses.of(List.of(examples))) {
      return AuthorRights.of(classes, ConfigurationLoader.load(null, Map.of(), List.of()), LIMIT);
    }
  }

  @Test
  void aChart_hasTheRulesAndWebhooks_thatTheCommandHasWritten() throws Exception {
    AuthorRights rights = rights();
    write("Chart.yaml", "apiVersion: v2\nname: shop\nversion: 1.2.0\n");
    write(
        "values.yaml",
        ChartCommand.values(
            Files.readString(Path.of("..", "chart", "values.yaml")),
            "registry.example.com/shop",
            rights));
    write("definitions/a.yaml", "kind: CustomResourceDefinition\nmetadata: {name: a}\n");
    ChartFile chart = read();
    assertThat(chart.reference()).isEqualTo("registry.example.com/shop:1.2.0");
    assertThat(chart.name()).isEqualTo("shop");
    assertThat(chart.rules()).isEqualTo(ProjectManifests.rules(rights));
    assertThat(chart.webhooks()).containsExactly("cron");
    assertThat(chart.conversions()).isEmpty();
    assertThat(chart.definitions()).extracting(ProjectManifests::name).containsExactly("a");
  }

  @Test
  void anotherArchive_isRefused() throws Exception {
    write("README.md", "not a chart");
    assertThatThrownBy(this::read)
        .isInstanceOf(HostException.class)
        .hasMessageContaining("is not a chart of \"coxswain chart\"");
  }

  @Test
  void aChartOfOthers_isRefused() throws Exception {
    write("Chart.yaml", "apiVersion: v2\nname: shop\nversion: 1.2.0\n");
    write("values.yaml", "image: nginx\nreplicas: 1\n");
    assertThatThrownBy(this::read)
        .isInstanceOf(HostException.class)
        .hasMessageContaining("is not a chart of \"coxswain chart\"");
  }
}
