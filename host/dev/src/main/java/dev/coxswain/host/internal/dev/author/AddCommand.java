// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.author;

import dev.coxswain.archetype.internal.ApiTemplate;
import dev.coxswain.archetype.internal.ProjectTemplate;
import dev.coxswain.archetype.internal.TemplateFiles;
import dev.coxswain.ctl.internal.cli.Arguments;
import dev.coxswain.ctl.internal.cli.CommandException;
import dev.coxswain.ctl.internal.cli.Flag;
import dev.coxswain.ctl.internal.cli.Suggestions;
import dev.coxswain.host.internal.cli.AddedCommand;
import dev.coxswain.host.internal.cli.CommandLine;
import dev.coxswain.host.internal.lifecycle.HostException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** {@code coxswain add}: a custom resource, or its webhooks, for the project in a folder. */
public final class AddCommand implements AddedCommand {

  static final Flag WEBHOOK = Flag.alone("--webhook", "");

  private static final Flag PACKAGE = Flag.of("--package", "NAME", "");
  private static final List<String> ACTIONS = List.of("api", "webhook");

  private final Path folder;
  private final PrintStream out;

  /** Creates the command; called by the service loader. */
  public AddCommand() {
    this(Path.of(""), System.out);
  }

  /** Creates the command for the project in a folder. */
  AddCommand(Path folder, PrintStream out) {
    this.folder = folder;
    this.out = out;
  }

  @Override
  public String name() {
    return "add";
  }

  @Override
  public int run(List<String> arguments) throws HostException {
    Arguments parsed = Arguments.parse(arguments, List.of(WEBHOOK, PACKAGE));
    String action = parsed.words().isEmpty() ? "" : parsed.words().getFirst();
    if (!ACTIONS.contains(action)) {
      throw new CommandException("add needs what to add, " + Suggestions.of(action, ACTIONS));
    }
    if (parsed.words().size() != 2) {
      throw new CommandException(
          "add %1$s needs one name: coxswain add %1$s Website".formatted(action));
    }
    String name = parsed.words().getLast();
    try {
      String javaPackage = javaPackage(parsed.value(PACKAGE));
      if (action.equals("api")) {
        addApi(api(name, javaPackage), parsed.on(WEBHOOK));
      } else {
        addWebhook(ApiTemplate.requireKind(name), javaPackage);
      }
    } catch (IllegalArgumentException e) {
      throw new CommandException(String.valueOf(e.getMessage()), e);
    } catch (IOException e) {
      throw new HostException("a file cannot be read or written: " + e, e);
    }
    return CommandLine.OK;
  }

  private ApiTemplate api(String resource, String javaPackage) throws IOException {
    List<Path> folders = new ArrayList<>();
    Path definitions = folder.resolve(ApiTemplate.DEFINITIONS);
    if (Files.isDirectory(definitions)) {
      try (Stream<Path> all = Files.list(definitions)) {
        all.filter(Files::isDirectory).forEach(folders::add);
      }
    }
    // All in one folder, for "crd generate" writes all into one.
    Path project = folders.size() == 1 ? folders.getFirst() : folder.toAbsolutePath().normalize();
    return ApiTemplate.of(resource, String.valueOf(project.getFileName()), javaPackage, kotlin());
  }

  private void addApi(ApiTemplate api, boolean webhook) throws IOException, HostException {
    Map<String, String> files = new LinkedHashMap<>(api.files());
    List<String> definitions = new ArrayList<>(List.of(api.controller()));
    if (webhook) {
      files.putAll(api.webhookFiles());
      definitions.add(api.webhook());
    }
    write(files, definitions);
    out.printf(
        """

        Next:

        %s  kubectl apply -f %s

        After a change of %s:

          %s
          coxswain crd generate --output %s
        """,
        build(gradle()),
        api.example(),
        api.kind(),
        gradle() ? "gradle -q classes" : "mvn -q compile",
        Path.of(api.definition()).getParent());
  }

  private void addWebhook(String kind, String javaPackage) throws IOException, HostException {
    String source =
        TemplateFiles.path(
            "src/main/java/" + javaPackage.replace('.', '/') + "/" + kind + ".java", kotlin());
    if (!Files.exists(folder.resolve(source))) {
      throw new HostException(
          "there is no %s: coxswain add api %s --webhook adds it as well".formatted(source, kind));
    }
    String text = Files.readString(folder.resolve(source));
    String plural = valueOf("plural", text, source);
    ApiTemplate api =
        new ApiTemplate(
            javaPackage,
            kind,
            valueOf("group", text, source),
            valueOf("version", text, source),
            plural,
            definition(plural),
            kotlin());
    if (!Files.exists(folder.resolve(api.example()))) {
      throw new HostException(
          "there is no %s, an object with the name \"example\", which the test of the webhooks needs"
              .formatted(api.example()));
    }
    write(api.webhookFiles(), List.of(api.webhook()));
    out.printf("%nNext:%n%n%s  kubectl apply -f %s%n", build(gradle()), api.example());
  }

  /** Returns the commands that build a project and run it, in lines. */
  static String build(boolean gradle) {
    return gradle
        ? "  gradle -q build%n  coxswain dev --plugin %s%n".formatted(AuthorClasses.OF_GRADLE)
        : "  mvn -q package%n  coxswain dev --plugin %s%n".formatted(AuthorClasses.OF_MAVEN);
  }

  private boolean gradle() {
    return !Files.exists(folder.resolve("pom.xml"))
        && (Files.exists(folder.resolve("build.gradle"))
            || Files.exists(folder.resolve("build.gradle.kts")));
  }

  private boolean kotlin() {
    return Files.isDirectory(folder.resolve("src/main/kotlin"));
  }

  /** Returns a text of the annotation of a resource. */
  private static String valueOf(String name, String text, String source) throws HostException {
    Matcher value =
        Pattern.compile("@KubernetesResource\\([^)]*\\b" + name + "\\s*=\\s*\"([^\"]+)\"")
            .matcher(text);
    if (!value.find()) {
      throw new HostException(
          "%s has no @KubernetesResource with a text as its %s".formatted(source, name));
    }
    return value.group(1);
  }

  private String definition(String plural) throws IOException, HostException {
    String file = "crd-" + plural + ".yaml";
    Path definitions = folder.resolve(ApiTemplate.DEFINITIONS);
    if (Files.isDirectory(definitions)) {
      try (Stream<Path> all = Files.list(definitions)) {
        for (Path one : all.sorted().toList()) {
          if (Files.exists(one.resolve(file))) {
            return ApiTemplate.DEFINITIONS + "/" + one.getFileName() + "/" + file;
          }
        }
      }
    }
    throw new HostException(
        "there is no %1$s/*/%2$s: coxswain crd generate --output %1$s/NAME"
            .formatted(ApiTemplate.DEFINITIONS, file));
  }

  /** Returns the package that is given, or that of the first controller of the project. */
  private String javaPackage(@Nullable String given) throws IOException, HostException {
    Path services = folder.resolve(ProjectTemplate.SERVICES);
    if (!Files.exists(services)) {
      throw new HostException(
          "%s is not a project with controllers: it has no %s; coxswain new makes one"
              .formatted(folder.toAbsolutePath().normalize(), ProjectTemplate.SERVICES));
    }
    if (given != null) {
      return ProjectTemplate.requirePackage(given, kotlin());
    }
    for (String name : AuthorClasses.names(Files.readString(services))) {
      if (name.contains(".")) {
        return name.substring(0, name.lastIndexOf('.'));
      }
    }
    throw new HostException(
        "%s names no controller with a package; set one with --package"
            .formatted(ProjectTemplate.SERVICES));
  }

  private void write(Map<String, String> files, List<String> definitions)
      throws IOException, HostException {
    for (String file : files.keySet()) {
      if (Files.exists(folder.resolve(file))) {
        throw new HostException(file + " exists; nothing is written");
      }
    }
    TemplateFiles.write(folder, files, StandardOpenOption.CREATE_NEW);
    files.keySet().forEach(out::println);
    Path services = folder.resolve(ProjectTemplate.SERVICES);
    String text = Files.readString(services);
    String separator = text.isEmpty() || text.endsWith("\n") ? "" : "\n";
    for (String definition : definitions) {
      if (!AuthorClasses.names(text).contains(definition)) {
        Files.writeString(services, separator + definition + "\n", StandardOpenOption.APPEND);
        out.println(ProjectTemplate.SERVICES + ": " + definition);
        separator = "";
      }
    }
  }
}
