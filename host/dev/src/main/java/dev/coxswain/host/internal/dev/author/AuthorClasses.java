// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.author;

import com.google.gson.JsonObject;
import dev.coxswain.authoring.crd.CustomResourceDefinitions;
import dev.coxswain.authoring.crd.ResourceClasses;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.ctl.internal.cli.Arguments;
import dev.coxswain.ctl.internal.cli.CommandException;
import dev.coxswain.ctl.internal.cli.Flag;
import dev.coxswain.host.internal.controllers.Definitions;
import dev.coxswain.host.internal.lifecycle.HostException;
import io.kubernetes.client.common.KubernetesObject;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * The folders of classes and the jars that a command is about, and their class loader.
 *
 * @param places the folders and jars
 * @param loader loads their classes, and those of Coxswain
 */
public record AuthorClasses(List<Path> places, URLClassLoader loader) implements AutoCloseable {

  static final Flag CLASSES = Flag.of("--classes", "PATH", "").repeated();

  private static final String SERVICES =
      "META-INF/services/" + ControllerDefinition.class.getName();

  /** Where Maven puts the classes of a project, with its resources. */
  static final String OF_MAVEN = "target/classes";

  /** Where Gradle puts the classes of a project; its resources are in another folder. */
  static final String OF_GRADLE = "build/classes/java/main";

  /** Returns those that the flags name, or those of Maven or Gradle in this folder. */
  static AuthorClasses of(Arguments arguments) {
    List<Path> places = new ArrayList<>();
    for (String name : arguments.has(CLASSES) ? arguments.all(CLASSES) : List.of(built())) {
      Path place = Path.of(name).toAbsolutePath().normalize();
      if (!Files.exists(place)) {
        throw new CommandException(
            "there is no %s: compile first, or name a folder of classes or a jar with --classes"
                .formatted(name));
      }
      places.add(place);
    }
    return of(places);
  }

  private static String built() {
    boolean ofMaven = Files.exists(Path.of(OF_MAVEN));
    boolean ofGradle = Files.exists(Path.of(OF_GRADLE));
    if (ofMaven == ofGradle) {
      throw new CommandException(
          ofMaven
              ? "classes are in %s and in %s, name those to use with --classes"
                  .formatted(OF_MAVEN, OF_GRADLE)
              : "there is no %s, or %s of Gradle: compile first, or name a folder of classes or a jar with --classes"
                  .formatted(OF_MAVEN, OF_GRADLE));
    }
    return ofMaven ? OF_MAVEN : OF_GRADLE;
  }

  /**
   * Returns folders and jars, and for {@code build/classes/java/main}, and that of another language, also
   * {@code build/resources/main}: Gradle has the resources of a project there.
   *
   * @param places absolute paths
   */
  public static List<Path> withResources(List<Path> places) {
    Set<Path> all = new LinkedHashSet<>(places);
    for (Path place : places) {
      Path classes = place.resolve("../..").normalize();
      Path resources = classes.resolveSibling("resources/main");
      if (place.endsWith("main")
          && classes.endsWith("build/classes")
          && Files.isDirectory(resources)) {
        all.add(resources);
      }
    }
    return List.copyOf(all);
  }

  /** Returns some folders and jars, which exist; those of Gradle with their resources. */
  public static AuthorClasses of(List<Path> given) {
    List<Path> places = withResources(given);
    List<URL> urls = new ArrayList<>();
    for (Path place : places) {
      try {
        urls.add(place.toUri().toURL());
      } catch (IOException e) {
        throw new IllegalStateException("the address of a file is always one", e);
      }
    }
    return new AuthorClasses(
        places, new URLClassLoader(urls.toArray(URL[]::new), AuthorClasses.class.getClassLoader()));
  }

  /**
   * Returns the definitions that the service files of these places name, those that they yield
   * included.
   *
   * @throws HostException when one cannot be loaded
   */
  public List<ControllerDefinition> definitions() throws IOException, HostException {
    List<ControllerDefinition> definitions = new ArrayList<>();
    for (String name : named()) {
      try {
        Class<?> type = Class.forName(name, true, loader);
        Object made = type.getDeclaredConstructor().newInstance();
        definitions.addAll(Definitions.yielded((ControllerDefinition) made));
      } catch (ReflectiveOperationException | LinkageError | RuntimeException e) {
        throw new HostException("the controller definition " + name + " cannot be loaded: " + e, e);
      }
    }
    return definitions;
  }

  /** Returns the definitions of the custom resources whose classes are here; they may be none. */
  public List<JsonObject> customResources() throws IOException {
    List<Class<? extends KubernetesObject>> types = new ArrayList<>();
    for (Path place : places) {
      types.addAll(ResourceClasses.in(place, loader));
    }
    return CustomResourceDefinitions.of(types);
  }

  /** Only the files of these places: the class path has the examples as well. */
  private Set<String> named() throws IOException {
    Set<String> names = new TreeSet<>();
    for (URL file : Collections.list(loader.findResources(SERVICES))) {
      try (InputStream in = file.openStream()) {
        names.addAll(names(new String(in.readAllBytes(), StandardCharsets.UTF_8)));
      }
    }
    return names;
  }

  /** Returns the names of classes in the text of a service file. */
  static List<String> names(String services) {
    return services
        .lines()
        .map(line -> line.replaceFirst("#.*", "").strip())
        .filter(line -> !line.isEmpty())
        .toList();
  }

  @Override
  public void close() throws IOException {
    loader.close();
  }
}
