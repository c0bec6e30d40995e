// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.project;

import com.google.gson.JsonObject;
import dev.coxswain.authoring.crd.CrdYaml;
import dev.coxswain.ctl.internal.cli.CommandException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.jspecify.annotations.Nullable;

/**
 * Objects for the controllers of a project.
 *
 * <p>Thread rule: immutable, but not the objects.
 *
 * @param place where they are from; empty when there are none
 * @param objects the objects in the order of files and documents
 */
record ExampleFiles(String place, List<JsonObject> objects) {

  /** Those that {@code coxswain dev} installs, too. */
  private static final Pattern INSTALLED = Pattern.compile("coxswain/dev/[^/]+/[^/]+\\.yaml");

  private static final Pattern YAML = Pattern.compile(".*\\.(yaml|yml|json)");

  /** Copies the list. */
  ExampleFiles {
    objects = List.copyOf(objects);
  }

  /** Those that {@code coxswain add} writes. */
  private static final Path OF_THE_PROJECT = Path.of("src/main/k8s/examples");

  /**
   * Reads them.
   *
   * @param given a file or a folder, or null for those in the jars and of the project
   */
  static ExampleFiles of(@Nullable String given, List<Path> jars) throws IOException {
    List<JsonObject> objects = new ArrayList<>();
    if (given != null) {
      if (!Files.exists(Path.of(given))) {
        throw new CommandException("there is no " + given);
      }
      readAll(Path.of(given), objects);
      if (objects.isEmpty()) {
        throw new CommandException("there is no object in " + given);
      }
      return new ExampleFiles(given, objects);
    }
    List<String> places = new ArrayList<>();
    for (Path jar : jars) {
      read(jar, objects);
    }
    if (!objects.isEmpty()) {
      places.add("coxswain/dev in the jar");
    }
    if (Files.isDirectory(OF_THE_PROJECT)) {
      readAll(OF_THE_PROJECT, objects);
      places.add(OF_THE_PROJECT.toString());
    }
    return new ExampleFiles(String.join(" and ", places), objects);
  }

  private static void readAll(Path place, List<JsonObject> objects) throws IOException {
    List<Path> files = List.of(place);
    if (Files.isDirectory(place)) {
      try (Stream<Path> all = Files.walk(place)) {
        files =
            all.filter(file -> YAML.matcher(file.toString()).matches() && Files.isRegularFile(file))
                .sorted()
                .toList();
      }
    }
    for (Path file : files) {
      add(file.toString(), Files.readString(file), objects);
    }
  }

  private static void read(Path jar, List<JsonObject> objects) throws IOException {
    try (ZipFile file = new ZipFile(jar.toFile())) {
      List<? extends ZipEntry> entries =
          file.stream()
              .filter(entry -> INSTALLED.matcher(entry.getName()).matches())
              .sorted(Comparator.comparing(ZipEntry::getName))
              .toList();
      for (ZipEntry entry : entries) {
        try (InputStream in = file.getInputStream(entry)) {
          add(entry.getName(), new String(in.readAllBytes(), StandardCharsets.UTF_8), objects);
        }
      }
    }
  }

  private static void add(String file, String text, List<JsonObject> objects) {
    try {
      objects.addAll(CrdYaml.read(text));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(file + ": " + e.getMessage(), e);
    }
  }

  /** Returns the definitions among them, or everything else. */
  List<JsonObject> definitions(boolean ofDefinitions) {
    return objects.stream()
        .filter(object ->
            ofDefinitions == ProjectManifests.kind(object).equals("CustomResourceDefinition"))
        .toList();
  }
}
