// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.author;

import com.google.gson.JsonObject;
import dev.coxswain.apiserver.DefinitionCheck;
import dev.coxswain.authoring.crd.CrdDifference;
import dev.coxswain.authoring.crd.CrdYaml;
import dev.coxswain.authoring.crd.CustomResourceDefinitions;
import dev.coxswain.ctl.internal.cli.Arguments;
import dev.coxswain.ctl.internal.cli.CommandException;
import dev.coxswain.ctl.internal.cli.Flag;
import dev.coxswain.ctl.internal.cli.Suggestions;
import dev.coxswain.host.internal.cli.AddedCommand;
import dev.coxswain.host.internal.cli.CommandLine;
import dev.coxswain.host.internal.lifecycle.HostException;
import dev.coxswain.k8s.client.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** {@code coxswain crd}: CustomResourceDefinitions from classes, and classes from them. */
public final class CrdCommand implements AddedCommand {

  private static final Flag OUTPUT = Flag.of("--output", "FOLDER", "");
  private static final List<String> ACTIONS = List.of("generate", "check", "classes");

  /** Creates the command; called by the service loader. */
  public CrdCommand() {}

  @Override
  public String name() {
    return "crd";
  }

  @Override
  public int run(List<String> arguments) throws HostException {
    Arguments parsed =
        Arguments.parse(
            arguments,
            List.of(
                AuthorClasses.CLASSES,
                OUTPUT,
                ClassesCommand.PACKAGE,
                ClassesCommand.VERSION,
                ClassesCommand.CHECK));
    String action = parsed.words().isEmpty() ? "" : parsed.words().getFirst();
    List<String> rest =
        parsed.words().subList(Math.min(1, parsed.words().size()), parsed.words().size());
    try {
      switch (action) {
        case "generate" -> generate(parsed, rest);
        case "check" -> check(parsed, rest);
        case "classes" -> ClassesCommand.run(parsed, rest, parsed.value(OUTPUT, "src/main/java"));
        default ->
            throw new CommandException("crd needs an action, " + Suggestions.of(action, ACTIONS));
      }
    } catch (IOException e) {
      throw new HostException("a file cannot be read or written: " + e, e);
    } catch (IllegalArgumentException e) {
      throw new HostException(String.valueOf(e.getMessage()), e);
    }
    return CommandLine.OK;
  }

  private static void generate(Arguments parsed, List<String> rest)
      throws IOException, HostException {
    if (!rest.isEmpty()) {
      throw new CommandException("crd generate: unexpected \"" + rest.getFirst() + "\"");
    }
    String folder = parsed.value(OUTPUT);
    String separator = "";
    List<JsonObject> definitions = definitions(parsed);
    List<String> problems = new ArrayList<>();
    definitions.forEach(definition -> problems.addAll(refusals(definition)));
    if (!problems.isEmpty()) {
      problems.add("nothing was written: change the annotations of the class");
      throw new HostException(String.join("\n", problems));
    }
    for (JsonObject definition : definitions) {
      warn(definition, "");
      String yaml = CrdYaml.write(definition);
      if (folder == null) {
        System.out.print(separator + yaml);
        separator = "---\n";
        continue;
      }
      Path file = Path.of(folder).resolve("crd-" + plural(definition) + ".yaml");
      Files.createDirectories(file.toAbsolutePath().getParent());
      Files.writeString(file, yaml);
      System.out.println(file);
    }
  }

  private static void check(Arguments parsed, List<String> rest) throws IOException, HostException {
    if (rest.isEmpty()) {
      throw new CommandException(
          "crd check needs the files to compare with: coxswain crd check FILE-OR-FOLDER...");
    }
    List<Path> files = files(rest);
    List<String> problems = new ArrayList<>();
    for (JsonObject definition : definitions(parsed)) {
      String name = name(definition);
      boolean found = false;
      for (Path file : files) {
        for (JsonObject other : CrdYaml.read(Files.readString(file))) {
          if (Json.text(other, "kind").equals("CustomResourceDefinition")
              && name(other).equals(name)) {
            found = true;
            List<String> differences = CrdDifference.between(definition, other);
            warn(other, file + ": ");
            differences.forEach(line -> problems.add(file + ": " + name + ": " + line));
            List<String> refusals = refusals(other);
            refusals.forEach(line -> problems.add(file + ": " + line));
            if (differences.isEmpty() && refusals.isEmpty()) {
              System.out.println(name + ": " + file + " is up to date");
            }
          }
        }
      }
      if (!found) {
        problems.add(name + ": is in none of the files " + String.join(", ", rest));
      }
    }
    if (!problems.isEmpty()) {
      problems.add("write the files again: coxswain crd generate --output FOLDER");
      throw new HostException(String.join("\n", problems));
    }
  }

  private static void warn(JsonObject definition, String place) {
    CustomResourceDefinitions.warnings(definition)
        .forEach(line -> System.err.println("warning: " + place + line));
  }

  /**
   * Returns definitions that an API server accepts.
   *
   * @throws HostException when it refuses some, with the reasons
   */
  public static List<JsonObject> accepted(List<JsonObject> definitions) throws HostException {
    List<String> refused = definitions.stream().flatMap(one -> refusals(one).stream()).toList();
    if (!refused.isEmpty()) {
      throw new HostException(String.join("\n", refused));
    }
    return definitions;
  }

  /** What an API server would say to a definition, by the rules of the embedded one. */
  public static List<String> refusals(JsonObject definition) {
    return DefinitionCheck.problems(definition.toString()).stream()
        .map(problem -> name(definition) + ": an API server refuses it: " + problem)
        .toList();
  }

  private static List<JsonObject> definitions(Arguments parsed) throws IOException {
    try (AuthorClasses classes = AuthorClasses.of(parsed)) {
      List<JsonObject> definitions = classes.customResources();
      if (definitions.isEmpty()) {
        throw new CommandException(
            "no class with @KubernetesResource is in "
                + String.join(", ", classes.places().stream().map(Path::toString).toList()));
      }
      return definitions;
    }
  }

  private static List<Path> files(List<String> named) throws IOException {
    List<Path> files = new ArrayList<>();
    for (String name : named) {
      Path place = Path.of(name);
      if (!Files.exists(place)) {
        throw new CommandException("there is no " + name);
      }
      try (Stream<Path> below = Files.walk(place)) {
        below
            .filter(Files::isRegularFile)
            .filter(file -> file.equals(place) || file.toString().matches(".*\\.ya?ml"))
            .sorted()
            .forEach(files::add);
      }
    }
    return files;
  }

  private static String name(JsonObject definition) {
    return Json.text(definition.get("metadata"), "name");
  }

  /** Returns the plural of the names of a definition. */
  public static String plural(JsonObject definition) {
    return Json.text(definition.getAsJsonObject("spec").get("names"), "plural");
  }
}
