// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.project;

import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.ctl.internal.cli.Arguments;
import dev.coxswain.ctl.internal.cli.CommandException;
import dev.coxswain.ctl.internal.cli.Flag;
import dev.coxswain.host.internal.dev.dist.SourceTree;
import dev.coxswain.host.internal.lifecycle.HostException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipFile;

/**
 * The jars of an author's project, and what it is called.
 *
 * <p>Thread rule: immutable.
 *
 * @param jars those with controllers, and the libraries that they need besides the runtime
 * @param name the name of the image, with the registry where it has one
 * @param version the tag of the image, which is the version of the chart
 */
record ProjectJars(List<Path> jars, String name, String version) {

  static final Flag JAR = Flag.of("--jar", "PATH", "").repeated();
  static final Flag NAME = Flag.of("--name", "NAME", "");
  static final Flag VERSION = Flag.of("--version", "VERSION", "");
  static final Flag OUTPUT = Flag.of("--output", "FOLDER", "");
  static final List<Flag> FLAGS = List.of(JAR, NAME, VERSION, OUTPUT);

  private static final String SERVICES =
      "META-INF/services/" + ControllerDefinition.class.getName();
  private static final int SHOWN = 3;
  private static final Pattern NOT_THE_JAR =
      Pattern.compile(".*-(sources|javadoc|tests|test-sources|plain)\\.jar");
  private static final Pattern POM = Pattern.compile("META-INF/maven/[^/]+/[^/]+/pom\\.properties");

  /** As the specification of OCI has it, without the length. */
  private static final Pattern IMAGE_NAME =
      Pattern.compile(
          "([a-zA-Z0-9.-]+(:\\d+)?/)?[a-z0-9]+((\\.|_|__|-+)[a-z0-9]+)*(/[a-z0-9]+((\\.|_|__|-+)[a-z0-9]+)*)*");

  private static final Pattern TAG = Pattern.compile("[a-zA-Z0-9_][a-zA-Z0-9._-]{0,127}");

  /** Copies the list. */
  ProjectJars {
    jars = List.copyOf(jars);
  }

  /** Returns the jars that the flags name, or the only one of a build in this folder. */
  static ProjectJars of(Arguments arguments) throws HostException {
    try {
      List<Path> jars = arguments.has(JAR) ? named(arguments.all(JAR)) : List.of(built());
      List<Path> ours = new ArrayList<>();
      for (Path jar : jars) {
        if (hasControllers(jar)) {
          ours.add(jar);
        }
      }
      if (ours.isEmpty()) {
        throw new HostException(
            "no controller is named by a file %s in %s".formatted(SERVICES, texts(jars)));
      }
      Artifact artifact = Artifact.of(ours.getFirst());
      String name = arguments.value(NAME, artifact.name());
      String version = arguments.value(VERSION, artifact.version());
      if (name.indexOf(':', name.lastIndexOf('/') + 1) >= 0) {
        throw new CommandException(
            "--name is \"%s\": the tag does not belong to it, it is %s"
                .formatted(name, VERSION.name()));
      }
      require(
          IMAGE_NAME,
          name,
          NAME,
          "the name of an image, such as registry.example.com/shop: small letters, digits, and . _ - between them");
      require(TAG, version, VERSION, "a version that can be a tag, such as 1.2.3");
      return new ProjectJars(jars, name, version);
    } catch (IOException e) {
      throw new HostException("a jar cannot be read: " + e.getMessage(), e);
    }
  }

  private static void require(Pattern pattern, String value, Flag flag, String expected) {
    if (!pattern.matcher(value).matches()) {
      throw new CommandException(
          value.isEmpty()
              ? "%s is needed, since neither Maven nor the manifest of the jar has it: %s"
                  .formatted(flag.name(), expected)
              : "%s is \"%s\", expected %s".formatted(flag.name(), value, expected));
    }
  }

  /** Fails when a jar is a part of the runtime of a tree. */
  void requireNoneOf(SourceTree tree) throws HostException {
    try {
      requireNoneOf(tree.jars());
    } catch (IOException e) {
      throw new HostException("the runtime cannot be read: " + e, e);
    }
  }

  /**
   * Fails when a jar is a part of the runtime, which has it already.
   *
   * @param runtime the jars of the runtime
   */
  void requireNoneOf(List<Path> runtime) throws HostException {
    Set<String> names =
        runtime.stream().map(jar -> String.valueOf(jar.getFileName())).collect(Collectors.toSet());
    List<Path> twice =
        jars.stream().filter(jar -> names.contains(String.valueOf(jar.getFileName()))).toList();
    if (!twice.isEmpty()) {
      throw new HostException(
          "a part of the runtime already: %s; leave out what Coxswain brings, by the scope provided of Maven, or compileOnly of Gradle"
              .formatted(texts(twice)));
    }
  }

  /** Returns the last part of the name, in which there is no registry. */
  String shortName() {
    return name.substring(name.lastIndexOf('/') + 1);
  }

  /** Returns the folder of what is made: the flag's, or that of the first jar. */
  Path output(Arguments arguments) {
    String folder = arguments.value(OUTPUT);
    Path jar = jars.getFirst().toAbsolutePath();
    return folder == null
        ? Objects.requireNonNull(jar.getParent(), "a file is in a folder")
        : Path.of(folder).toAbsolutePath();
  }

  private static List<Path> named(List<String> names) throws IOException {
    TreeMap<String, Path> jars = new TreeMap<>();
    List<Path> inOrder = new ArrayList<>();
    for (String name : names) {
      Path place = Path.of(name);
      if (!Files.exists(place)) {
        throw new CommandException("there is no " + name);
      }
      List<Path> found = List.of(place);
      if (Files.isDirectory(place)) {
        found = jarsIn(place);
        if (found.isEmpty()) {
          throw new CommandException("there is no jar in " + name);
        }
      }
      for (Path jar : found) {
        Path other = jars.put(String.valueOf(jar.getFileName()), jar);
        if (other != null) {
          throw new CommandException("two jars have one name: %s, %s".formatted(other, jar));
        }
        inOrder.add(jar);
      }
    }
    return inOrder;
  }

  private static Path built() throws IOException {
    List<Path> found = new ArrayList<>();
    for (String place : BundleCommand.PLACES) {
      if (!Files.isDirectory(Path.of(place))) {
        continue;
      }
      for (Path jar : jarsIn(Path.of(place))) {
        if (!NOT_THE_JAR.matcher(jar.toString()).matches() && hasControllers(jar)) {
          found.add(jar);
        }
      }
    }
    if (found.size() == 1) {
      return found.getFirst();
    }
    throw new CommandException(
        found.isEmpty()
            ? "no jar with controllers is in %s: build it first, with mvn package or gradle build, or name it with --jar"
                .formatted(String.join(" or ", BundleCommand.PLACES))
            : "several jars have controllers, name those to use with --jar: " + texts(found));
  }

  private static List<Path> jarsIn(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .filter(file -> file.toString().toLowerCase(Locale.ROOT).endsWith(".jar"))
          .sorted(Comparator.comparing(Path::toString))
          .toList();
    }
  }

  private static boolean hasControllers(Path jar) throws IOException {
    try (ZipFile file = new ZipFile(jar.toFile())) {
      return file.getEntry(SERVICES) != null;
    } catch (IOException e) {
      throw new IOException(jar + ": " + e.getMessage(), e);
    }
  }

  /** What a build has written about a jar; texts that are not there are empty. */
  private record Artifact(String name, String version) {

    /**
     * Returns the title in the manifest, where it can be the name of an image, or what Maven has written. The
     * manifest comes first: what Maven has written may be about a library that Gradle has put into the jar.
     */
    static Artifact of(Path jar) throws IOException {
      try (JarFile file = new JarFile(jar.toFile())) {
        Manifest manifest = file.getManifest();
        if (manifest != null) {
          Attributes main = manifest.getMainAttributes();
          String title = main.getValue(Attributes.Name.IMPLEMENTATION_TITLE);
          String version = main.getValue(Attributes.Name.IMPLEMENTATION_VERSION);
          if (title != null && version != null && IMAGE_NAME.matcher(title).matches()) {
            return new Artifact(title, version);
          }
        }
        Properties pom = new Properties();
        List<JarEntry> poms =
            file.stream().filter(entry -> POM.matcher(entry.getName()).matches()).toList();
        if (poms.size() == 1) { // a jar with others in it has several
          try (InputStream in = file.getInputStream(poms.getFirst())) {
            pom.load(in);
          }
        }
        return new Artifact(pom.getProperty("artifactId", ""), pom.getProperty("version", ""));
      }
    }
  }

  /** Returns the first few paths, and how many more there are. */
  private static String texts(List<Path> paths) {
    String first =
        paths.stream().limit(SHOWN).map(Path::toString).collect(Collectors.joining(", "));
    return paths.size() > SHOWN ? first + " and " + (paths.size() - SHOWN) + " more" : first;
  }
}
