// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.project;

import com.google.gson.JsonObject;
import dev.coxswain.authoring.crd.CrdYaml;
import dev.coxswain.authoring.rbac.RoleManifests;
import dev.coxswain.ctl.internal.cli.Arguments;
import dev.coxswain.ctl.internal.cli.CommandException;
import dev.coxswain.ctl.internal.cli.Flag;
import dev.coxswain.host.internal.cli.AddedCommand;
import dev.coxswain.host.internal.cli.CommandLine;
import dev.coxswain.host.internal.cli.RunCommand;
import dev.coxswain.host.internal.config.CoxswainConfiguration;
import dev.coxswain.host.internal.config.reader.ConfigurationException;
import dev.coxswain.host.internal.dev.author.AuthorClasses;
import dev.coxswain.host.internal.dev.author.AuthorRights;
import dev.coxswain.host.internal.dev.author.CrdCommand;
import dev.coxswain.host.internal.dev.dist.ChartFiles;
import dev.coxswain.host.internal.dev.dist.DistOutput;
import dev.coxswain.host.internal.dev.dist.SourceTree;
import dev.coxswain.host.internal.dev.dist.TarEntry;
import dev.coxswain.host.internal.dev.dist.TarWriter;
import dev.coxswain.host.internal.jvm.StallLimit;
import dev.coxswain.host.internal.lifecycle.HostException;
import dev.coxswain.k8s.client.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * {@code coxswain chart}: the Helm chart with the custom resources, rights and webhooks of an author's
 * controllers, and their image.
 */
public final class ChartCommand implements AddedCommand {

  private static final String DESCRIPTION = "Chart.yaml";
  private static final String VALUES = "values.yaml";
  private static final String SCHEMA = "values.schema.json";
  private static final Pattern CHART_NAME = Pattern.compile("[a-z][a-z0-9-]*");
  private static final Pattern CHART_VERSION =
      Pattern.compile("\\d+\\.\\d+\\.\\d+(-[0-9A-Za-z.-]+)?");

  /** Creates the command; called by the service loader. */
  public ChartCommand() {}

  @Override
  public String name() {
    return "chart";
  }

  @Override
  public int run(List<String> arguments) throws HostException, ConfigurationException {
    List<Flag> flags = new ArrayList<>(ProjectJars.FLAGS);
    flags.addAll(List.of(RunCommand.CONFIG, RunCommand.SET, StallLimit.FLAG));
    Arguments parsed = Arguments.parse(arguments, flags).noWords("coxswain chart --help");
    StallLimit limit = StallLimit.of(parsed);
    SourceTree tree = SourceTree.find(name(), limit);
    ProjectJars project = ProjectJars.of(parsed);
    requireChart(project);
    project.requireNoneOf(tree);
    CoxswainConfiguration configuration = AuthorRights.configuration(parsed);
    try (AuthorClasses classes = AuthorClasses.of(project.jars())) {
      List<TarEntry> entries =
          entries(
              tree,
              project,
              classes.customResources(),
              AuthorRights.of(classes, configuration, limit));
      Instant time = SourceTree.timeWithoutCommit();
      DistOutput output = DistOutput.in(project.output(parsed));
      Path chart =
          output.write(
              "%s-%s-chart.tgz".formatted(project.shortName(), project.version()),
              out -> TarWriter.compress(out, entries, time));
      System.out.println(chart);
    } catch (IOException e) {
      throw new HostException("the chart cannot be written: " + e, e);
    } catch (IllegalArgumentException e) {
      throw new HostException(String.valueOf(e.getMessage()), e);
    }
    return CommandLine.OK;
  }

  /** Fails when the name or the version is one of an image and cannot be one of a chart. */
  static void requireChart(ProjectJars project) {
    require(
        CHART_NAME,
        project.shortName(),
        "name",
        "small letters, digits and -, and a letter first; the last part of "
            + ProjectJars.NAME.name());
    require(
        CHART_VERSION,
        project.version(),
        "version",
        "three numbers, such as 1.2.3; set " + ProjectJars.VERSION.name() + ", also of the image");
  }

  private static void require(Pattern pattern, String value, String what, String expected) {
    if (!pattern.matcher(value).matches()) {
      throw new CommandException(
          "a chart cannot have the %s \"%s\": expected %s".formatted(what, value, expected));
    }
  }

  private static List<TarEntry> entries(
      SourceTree tree, ProjectJars project, List<JsonObject> definitions, AuthorRights rights)
      throws IOException, HostException {
    String folder = project.shortName();
    List<TarEntry> entries = ChartFiles.without(tree, folder, List.of(DESCRIPTION, VALUES, SCHEMA));
    Path chart = tree.chart();
    entries.add(
        TarEntry.text(
            folder + "/" + DESCRIPTION,
            ChartFiles.versioned(
                Files.readString(chart.resolve(DESCRIPTION))
                    .replaceAll("(?m)^#(?! SPDX).*\n", "")
                    .replaceFirst("(?m)^name: .*$", "name: " + folder)
                    .replaceFirst(
                        "(?m)^description: .*$",
                        "description: Kubernetes controllers, run by Coxswain"),
                project.version())));
    entries.add(
        TarEntry.text(
            folder + "/" + VALUES,
            values(Files.readString(chart.resolve(VALUES)), project.name(), rights)));
    entries.add(
        TarEntry.text(
            folder + "/" + SCHEMA,
            ConfigSchema.in(Files.readString(chart.resolve(SCHEMA)), rights.configs())));
    for (JsonObject definition : CrdCommand.accepted(definitions)) {
      keep(definition);
      entries.add(
          TarEntry.text(
              folder + "/definitions/" + Json.text(definition.get("metadata"), "name") + ".yaml",
              CrdYaml.write(definition)));
    }
    return entries;
  }

  /** An uninstalled release leaves its definitions: with them all objects would be deleted. */
  private static void keep(JsonObject definition) {
    JsonObject metadata = definition.getAsJsonObject("metadata");
    if (!metadata.has("annotations")) {
      metadata.add("annotations", new JsonObject());
    }
    metadata.getAsJsonObject("annotations").addProperty("helm.sh/resource-policy", "keep");
  }

  /** Returns the values of the chart with those of the project in their places. */
  static String values(String values, String repository, AuthorRights rights) {
    String changed =
        replaced(values, "  repository: coxswain\n", "  repository: " + repository + "\n");
    changed =
        replaced(
            changed,
            "\ncontrollerRules: []\n",
            "\n" + RoleManifests.chartValue(rights.controllers(), true));
    changed =
        replaced(
            changed,
            "\ncontrollerClusterRules: []\n",
            "\n" + RoleManifests.chartValue(rights.controllers(), false));
    changed =
        replaced(
            changed, "\nconfig: {}\n", "\nconfig: {}\n" + ConfigSchema.inValues(rights.configs()));
    if (rights.webhooks().isEmpty() && rights.conversions().isEmpty()) {
      return changed;
    }
    changed = replaced(changed, "webhooks:\n  enabled: false\n", "webhooks:\n  enabled: true\n");
    changed =
        replaced(
            changed, "  controllers: []\n", "  controllers: " + flow(rights.webhooks()) + "\n");
    return replaced(
        changed, "  definitions: []\n", "  definitions: " + flow(rights.conversions()) + "\n");
  }

  private static String replaced(String text, String place, String by) {
    if (!text.contains(place)) {
      throw new IllegalStateException("the values of the chart do not have: " + place.strip());
    }
    return text.replace(place, by);
  }

  private static String flow(List<String> names) {
    return "[" + String.join(", ", names.stream().map(CrdYaml::scalar).toList()) + "]";
  }
}
