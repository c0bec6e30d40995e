// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.dev.author;

import com.google.gson.JsonObject;
import dev.coxswain.authoring.classes.ClassWriter;
import dev.coxswain.authoring.crd.CrdYaml;
import dev.coxswain.ctl.cli.Arguments;
import dev.coxswain.ctl.cli.CommandException;
import dev.coxswain.ctl.cli.Flag;
import dev.coxswain.host.lifecycle.HostException;
import dev.coxswain.k8s.client.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** {@code coxswain crd classes}: Java classes from the definitions in files. */
final class ClassesCommand {

  static final Flag PACKAGE = Flag.of("--package", "NAME", "");
  static final Flag VERSION = Flag.of("--version", "VERSION", "");
  static final Flag CHECK = Flag.alone("--check", "");

  private static final String PACKAGE_NAME = "[a-zA-Z_]\\w*(\\.[a-zA-Z_]\\w*)*";

  private ClassesCommand() {}

  /** Writes the classes, or compares them with those that are there. */
  static void run(Arguments parsed, List<String> files, String output)
      throws IOException, HostException {
    String javaPackage = parsed.value(PACKAGE, "");
    if (files.isEmpty() || !javaPackage.matches(PACKAGE_NAME)) {
      throw new CommandException(
          "crd classes needs files and a package: coxswain crd classes FILE... --package com.example");
    }
    Path folder = Path.of(output).resolve(javaPackage.replace('.', '/'));
    List<String> outdated = new ArrayList<>();
    for (String name : files) {
      for (JsonObject definition : definitions(name)) {
        Path file = folder.resolve(ClassWriter.className(definition) + ".java");
        String source = ClassWriter.write(definition, parsed.value(VERSION, ""), javaPackage);
        if (!parsed.on(CHECK)) {
          Files.createDirectories(folder);
          Files.writeString(file, source);
          System.out.println(file);
        } else if (!Files.exists(file) || !Files.readString(file).equals(source)) {
          outdated.add(file + " is not what " + name + " yields");
        } else {
          System.out.println(file + " is up to date");
        }
      }
    }
    if (!outdated.isEmpty()) {
      outdated.add("write them again: the same command without --check");
      throw new HostException(String.join("\n", outdated));
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
