// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.author;

import com.google.gson.JsonObject;
import dev.coxswain.authoring.classes.ClassWriter;
import dev.coxswain.authoring.crd.CrdYaml;
import dev.coxswain.ctl.internal.cli.Arguments;
import dev.coxswain.ctl.internal.cli.CommandException;
import dev.coxswain.ctl.internal.cli.Flag;
import dev.coxswain.host.internal.lifecycle.HostException;
import dev.coxswain.k8s.client.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@code coxswain crd classes}: Java classes from the definitions in files. */
final class ClassesCommand {

  static final Flag PACKAGE = Flag.of("--package", "NAME", "");
  static final Flag VERSION = Flag.of("--version", "VERSION", "");
  static final Flag CHECK = Flag.alone("--check", "");

  private static final Pattern GROUP = Pattern.compile("(?m)^    group = \"(.*)\",$");

  private ClassesCommand() {}

  /** Writes the classes, or compares them with those that are there. */
  static void run(Arguments parsed, List<String> files, String output)
      throws IOException, HostException {
    String javaPackage = parsed.value(PACKAGE, "");
    if (files.isEmpty() || javaPackage.isEmpty()) {
      throw new CommandException(
          "crd classes needs files and a package: coxswain crd classes FILE... --package com.example");
    }
    Path folder = Path.of(output).resolve(javaPackage.replace('.', '/'));
    Map<String, String> fileOf = new LinkedHashMap<>();
    List<JsonObject> definitions = new ArrayList<>();
    for (String name : files) {
      for (JsonObject definition : definitions(name)) {
        String resource = Json.text(definition.get("metadata"), "name");
        String other = fileOf.put(resource, name);
        if (other != null) {
          throw new CommandException(resource + " is defined twice: in " + other + " and " + name);
        }
        definitions.add(definition);
      }
    }
    List<String> outdated = new ArrayList<>();
    try {
      write(parsed, folder, definitions, List.copyOf(fileOf.values()), outdated);
    } catch (IllegalArgumentException e) {
      throw new HostException(String.valueOf(e.getMessage()));
    }
    if (!outdated.isEmpty()) {
      outdated.add("write them again: the same command without --check");
      throw new HostException(String.join("\n", outdated));
    }
  }

  private static void write(
      Arguments parsed,
      Path folder,
      List<JsonObject> definitions,
      List<String> names,
      List<String> outdated)
      throws IOException, HostException {
    String javaPackage = parsed.value(PACKAGE, "");
    List<String> classes = ClassWriter.classNames(definitions);
    for (int i = 0; i < classes.size(); i++) {
      Path file = folder.resolve(classes.get(i) + ".java");
      JsonObject definition = definitions.get(i);
      String source =
          ClassWriter.write(definition, parsed.value(VERSION, ""), javaPackage, classes.get(i));
      String present = Files.exists(file) ? Files.readString(file) : "";
      requireSameGroup(file, present, source);
      if (!parsed.on(CHECK)) {
        Files.createDirectories(folder);
        Files.writeString(file, source);
        System.out.println(file);
      } else if (!present.equals(source)) {
        outdated.add(file + " is not what " + names.get(i) + " yields");
      } else {
        System.out.println(file + " is up to date");
      }
    }
  }

  /** The class of a kind of another group must not be lost. */
  private static void requireSameGroup(Path file, String present, String source)
      throws HostException {
    Matcher there = GROUP.matcher(present);
    Matcher now = GROUP.matcher(source);
    if (there.find() && now.find() && !there.group(1).equals(now.group(1))) {
      throw new HostException(
          "%s is the class of a kind of group %s, and %s has one of that name: give both files in one command, or another --package"
              .formatted(file, there.group(1), now.group(1)));
    }
  }

  private static List<JsonObject> definitions(String name) throws IOException {
    Path file = Path.of(name);
    if (!Files.isRegularFile(file)) {
      throw new CommandException("there is no file " + name);
    }
    List<JsonObject> found =
        CrdYaml.read(Files.readString(file)).stream()
            .filter(object -> Json.text(object, "kind").equals("CustomResourceDefinition"))
            .toList();
    if (found.isEmpty()) {
      throw new CommandException("no CustomResourceDefinition is in " + name);
    }
    return found;
  }
}
