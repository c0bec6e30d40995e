// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.project;

import com.google.gson.JsonObject;
import dev.coxswain.authoring.crd.CrdYaml;
import dev.coxswain.authoring.rbac.ControllerRights;
import dev.coxswain.ctl.internal.cli.Arguments;
import dev.coxswain.ctl.internal.cli.CommandException;
import dev.coxswain.ctl.internal.cli.Flag;
import dev.coxswain.host.internal.cli.AddedCommand;
import dev.coxswain.host.internal.cli.CommandLine;
import dev.coxswain.host.internal.cli.RunCommand;
import dev.coxswain.host.internal.config.CoxswainConfiguration;
import dev.coxswain.host.internal.config.reader.ConfigurationException;
import dev.coxswain.host.internal.dev.DevSession;
import dev.coxswain.host.internal.dev.author.AuthorClasses;
import dev.coxswain.host.internal.dev.author.AuthorRights;
import dev.coxswain.host.internal.dev.author.CrdCommand;
import dev.coxswain.host.internal.dev.dist.SourceTree;
import dev.coxswain.host.internal.jvm.StallLimit;
import dev.coxswain.host.internal.lifecycle.HostException;
import dev.coxswain.k8s.client.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** {@code coxswain bundle}: the objects of the chart as plain manifests, for {@code kubectl apply -k}. */
public final class BundleCommand implements AddedCommand {

  /** The namespace of the operator. */
  public static final Flag NAMESPACE = Flag.of("--namespace", "NAME", "");

  /** Where Maven and Gradle put the jar of a project, and commands what they make of it. */
  public static final List<String> PLACES = List.of("target", "build/libs");

  private static final String DEFAULT_NAMESPACE = "default";
  private static final Pattern NAMESPACE_NAME =
      Pattern.compile("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?");

  /** What is longer is cut off in the names of a chart. */
  private static final int LONGEST = 40;

  private static final String KUSTOMIZATION = "kustomization.yaml";
  private static final String FIRST_LINE =
      "# Made by coxswain bundle: run it again to change these files.\n";
  private static final String DEFINITIONS = "definitions";
  private static final String OPERATOR = "operator";
  private static final String CONFIG = OPERATOR + "/config.yaml";

  /** Creates the command; called by the service loader. */
  public BundleCommand() {}

  @Override
  public String name() {
    return "bundle";
  }

  @Override
  public int run(List<String> arguments) throws HostException, ConfigurationException {
    List<Flag> flags = new ArrayList<>(ProjectJars.FLAGS);
    flags.addAll(List.of(NAMESPACE, RunCommand.CONFIG, RunCommand.SET, StallLimit.FLAG));
    Arguments parsed = Arguments.parse(arguments, flags).noWords("coxswain bundle --help");
    StallLimit limit = StallLimit.of(parsed);
    String namespace = namespace(parsed);
    SourceTree tree = SourceTree.find(name(), limit);
    ProjectJars project = ProjectJars.of(parsed);
    requireBundle(project);
    project.requireNoneOf(tree);
    CoxswainConfiguration configuration = AuthorRights.configuration(parsed);
    try (AuthorClasses classes = AuthorClasses.of(project.jars())) {
      List<JsonObject> definitions = CrdCommand.accepted(classes.customResources());
      AuthorRights rights = AuthorRights.of(classes, configuration, limit);
      ProjectManifests manifests =
          ProjectManifests.of(
              tree.manifests(), project, namespace, rights, ProjectManifests.rules(rights));
      Path folder =
          project
              .output(parsed)
              .resolve("%s-%s-bundle".formatted(project.shortName(), project.version()));
      configure(manifests.config(), rights, configuration);
      Map<String, String> files = files(project, namespace, definitions, manifests);
      files.merge(CONFIG, ConfigSchema.inConfiguration(rights.configs()), String::concat);
      write(folder, files);
      System.out.println(folder);
    } catch (IOException e) {
      throw new HostException("the bundle cannot be written: " + e, e);
    } catch (IllegalArgumentException e) {
      throw new HostException(String.valueOf(e.getMessage()), e);
    }
    return CommandLine.OK;
  }

  /** Adds what {@code --config} and {@code --set} have for the controllers. */
  static void configure(
      JsonObject config, AuthorRights rights, CoxswainConfiguration configuration) {
    JsonObject controllers = new JsonObject();
    for (ControllerRights of : rights.controllers()) {
      Map<String, Object> own = configuration.controller(of.controller()).config();
      if (!own.isEmpty()) {
        JsonObject settings = new JsonObject();
        settings.add("config", Json.GSON.toJsonTree(own));
        controllers.add(of.controller(), settings);
      }
    }
    if (!controllers.isEmpty()) {
      config.add("controllers", controllers);
    }
  }

  /** Returns the namespace of the flag. */
  public static String namespace(Arguments parsed) {
    String namespace = parsed.value(NAMESPACE, DEFAULT_NAMESPACE);
    if (!NAMESPACE_NAME.matcher(namespace).matches()) {
      throw new CommandException(
          "%s is \"%s\", expected small letters, digits and - between them"
              .formatted(NAMESPACE.name(), namespace));
    }
    return namespace;
  }

  /** Fails when the objects cannot be called as the project is, as those of its chart. */
  static void requireBundle(ProjectJars project) {
    ChartCommand.requireChart(project);
    String name = project.shortName();
    if (name.length() > LONGEST || name.endsWith("-")) {
      throw new CommandException(
          "objects cannot begin with the name \"%s\": expected at most %d characters, a letter or digit last"
              .formatted(name, LONGEST));
    }
  }

  /** Returns the files of a bundle by their paths in it. */
  static Map<String, String> files(
      ProjectJars project,
      String namespace,
      List<JsonObject> definitions,
      ProjectManifests manifests) {
    Map<String, String> files = new TreeMap<>();
    for (JsonObject definition : definitions) {
      files.put(
          DEFINITIONS + "/" + ProjectManifests.name(definition) + ".yaml",
          CrdYaml.write(definition));
    }
    List<String> parts = new ArrayList<>();
    if (!definitions.isEmpty()) {
      files.put(
          DEFINITIONS + "/" + KUSTOMIZATION,
          kustomization(files.keySet().stream().map(BundleCommand::lastPart).toList(), ""));
      parts.add(DEFINITIONS);
    }
    parts.add(OPERATOR);
    Map<String, List<String>> operator = new TreeMap<>();
    for (JsonObject object : manifests.objects()) {
      operator.computeIfAbsent(file(object), _ -> new ArrayList<>()).add(CrdYaml.write(object));
    }
    operator.forEach(
        (file, objects) -> files.put(OPERATOR + "/" + file, String.join("---\n", objects)));
    files.put(CONFIG, CrdYaml.write(manifests.config()));
    files.put(
        OPERATOR + "/" + KUSTOMIZATION,
        kustomization(
            List.copyOf(operator.keySet()),
            """
            # Its name ends with a hash, so that a change restarts the pods.
            configMapGenerator:
            - name: %4$s
              namespace: %2$s
              files: [config.yaml]
              options:
                labels: {app.kubernetes.io/name: coxswain, app.kubernetes.io/instance: %1$s}
            labels:
            - pairs: {app.kubernetes.io/version: %3$s}
              includeTemplates: true
            """
                .formatted(
                    CrdYaml.scalar(project.shortName()),
                    CrdYaml.scalar(namespace),
                    CrdYaml.scalar(project.version()),
                    CrdYaml.scalar(project.shortName() + "-config"))));
    files.put(KUSTOMIZATION, kustomization(parts, ""));
    return files;
  }

  private static String kustomization(List<String> resources, String rest) {
    StringBuilder text = new StringBuilder(FIRST_LINE);
    text.append("apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n");
    resources.forEach(resource -> text.append("- ").append(resource).append('\n'));
    return text.append(rest).toString();
  }

  private static String lastPart(String path) {
    return path.substring(path.lastIndexOf('/') + 1);
  }

  private static String file(JsonObject object) {
    if (ProjectManifests.name(object).endsWith(ProjectManifests.WEBHOOKS)) {
      return "webhooks.yaml";
    }
    return switch (ProjectManifests.kind(object)) {
      case "ConfigMap" -> "state.yaml";
      case "Deployment", "PodDisruptionBudget" -> "deployment.yaml";
      case "NetworkPolicy", "Service" -> "network.yaml";
      default -> "rights.yaml";
    };
  }

  /** Replaces the folder as a whole, so that nothing of an earlier bundle stays; another folder is kept. */
  static void write(Path folder, Map<String, String> files) throws IOException, HostException {
    Path first = folder.resolve(KUSTOMIZATION);
    boolean exists = Files.exists(folder);
    if (exists && !(Files.isRegularFile(first) && Files.readString(first).startsWith(FIRST_LINE))) {
      throw new HostException(
          folder
              + " is there and was not made by this command: remove it, or choose another --output");
    }
    Path unfinished = folder.resolveSibling(folder.getFileName() + ".unfinished");
    if (Files.exists(unfinished)) {
      DevSession.delete(unfinished);
    }
    for (Map.Entry<String, String> file : files.entrySet()) {
      Path path = unfinished.resolve(file.getKey());
      Files.createDirectories(path.getParent());
      Files.writeString(path, file.getValue());
    }
    if (exists) {
      DevSession.delete(folder);
    }
    Files.move(unfinished, folder);
  }
}
