// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.archetype.internal;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.lang.model.SourceVersion;

/**
 * A project with a controller, a test and a {@code pom.xml}: that of {@code examples/plugin}, with other
 * names, or with the sources of {@code examples/plugin-kotlin}, or with the {@code build.gradle} of
 * {@code examples/plugin-gradle}. The templates are packaged with this class.
 *
 * <p>Thread rule: immutable.
 *
 * @param group the group of the artifact
 * @param name the name of the project, of its artifact and of its controller
 * @param version the version of the artifact
 * @param javaPackage the package of its classes
 * @param className the name of the class of its controller
 * @param kotlin whether it is written in Kotlin
 * @param gradle whether Gradle builds it, and not Maven
 */
public record ProjectTemplate(
    String group,
    String name,
    String version,
    String javaPackage,
    String className,
    boolean kotlin,
    boolean gradle) {

  /** Names that a project can have: DNS labels that begin with a letter. */
  static final Pattern NAME = Pattern.compile("[a-z]([a-z0-9-]{0,61}[a-z0-9])?");

  static final String VERSION = "1.0.0";

  /** Where a project names its controllers. */
  public static final String SERVICES =
      "src/main/resources/META-INF/services/dev.coxswain.controller.ControllerDefinition";

  /** Names of classes that the template uses, with which its own must not be mixed up. */
  static final Set<String> USED =
      Set.of(
          "Controller",
          "ControllerDefinition",
          "ControllerEnvironment",
          "CoxswainExtension",
          "CoxswainTest",
          "ExtendWith",
          "Kubernetes",
          "Map",
          "Override",
          "Request",
          "Resource",
          "Result",
          "String",
          "Test");

  private static final List<String> OF_MAVEN = List.of("README.md", "pom.xml", "gitignore");
  private static final List<String> OF_GRADLE =
      List.of("README.md", "build.gradle", "settings.gradle", "gitignore");
  private static final List<String> PACKAGES =
      List.of("src/main/java/hello/package-info.java", "src/test/java/hello/package-info.java");
  private static final List<String> GREETER =
      List.of("src/main/java/hello/Greeter.java", "src/test/java/hello/GreeterTest.java");

  /** Words that Java allows in the name of a package and Kotlin does not. */
  private static final Set<String> OF_KOTLIN =
      Set.of("as", "fun", "in", "is", "object", "typealias", "typeof", "val", "var", "when");

  private static final String NAME_OF_JAR = "    <finalName>greeter</finalName>\n";
  private static final String KOTLIN_FOLDERS =
      """
          <sourceDirectory>src/main/kotlin</sourceDirectory>
          <testSourceDirectory>src/test/kotlin</testSourceDirectory>
      """;
  private static final String PLUGINS = "\n    <plugins>\n";

  /** The newest Kotlin that compiles for the version of its library that the host has. */
  private static final String KOTLIN_PLUGIN =
      """
            <plugin>
              <!-- The library of Kotlin comes from the host, which has version 2.1: nothing newer is used. -->
              <groupId>org.jetbrains.kotlin</groupId><artifactId>kotlin-maven-plugin</artifactId><version>2.3.21</version>
              <configuration><jvmTarget>${maven.compiler.release}</jvmTarget><apiVersion>2.1</apiVersion></configuration>
              <executions>
                <execution><id>compile</id><goals><goal>compile</goal></goals></execution>
                <execution><id>test-compile</id><goals><goal>test-compile</goal></goals></execution>
              </executions>
            </plugin>
      """;

  /**
   * Returns the project of a name, whose group is its package and whose class is {@code OrderSync} for
   * {@code order-sync}.
   *
   * @param name small letters, digits and {@code -}, at most 63, the first one a letter
   * @param javaPackage the package of the classes
   * @param kotlin whether they are written in Kotlin
   * @param gradle whether Gradle builds it, and not Maven; not with Kotlin
   * @throws IllegalArgumentException when one of them cannot be used; the message names what can
   */
  public static ProjectTemplate of(
      String name, String javaPackage, boolean kotlin, boolean gradle) {
    if (kotlin && gradle) {
      throw new IllegalArgumentException(
          "a project in Kotlin is built by Maven; leave out --gradle");
    }
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "\"%s\" cannot be the name of a controller: use small letters, digits and -"
              .formatted(name));
    }
    requirePackage(javaPackage, kotlin);
    String className =
        Arrays.stream(name.split("-", -1))
            .filter(word -> !word.isEmpty())
            .map(word -> Character.toUpperCase(word.charAt(0)) + word.substring(1))
            .collect(Collectors.joining());
    if (USED.contains(className)) {
      throw new IllegalArgumentException(
          "the class of \"%s\" would be %s, which the project needs from elsewhere; use another name"
              .formatted(name, className));
    }
    return new ProjectTemplate(javaPackage, name, VERSION, javaPackage, className, kotlin, gradle);
  }

  /**
   * Returns the name of a package.
   *
   * @param kotlin whether its classes are written in Kotlin
   * @throws IllegalArgumentException when it cannot be one
   */
  public static String requirePackage(String javaPackage, boolean kotlin) {
    List<String> words = Arrays.asList(javaPackage.split("\\.", -1));
    if (!SourceVersion.isName(javaPackage)
        || (kotlin && words.stream().anyMatch(OF_KOTLIN::contains))) {
      throw new IllegalArgumentException(
          "\"" + javaPackage + "\" is no name of a package; set another one");
    }
    return javaPackage;
  }

  /** Returns the texts of all files by their paths in the project, with {@code /}. */
  public Map<String, String> files() {
    Map<String, String> files = new LinkedHashMap<>();
    addFrame(files);
    add(GREETER, files);
    files.put(SERVICES, javaPackage + "." + className + "\n");
    return files;
  }

  /**
   * Returns the same with the controllers of some resources instead of the first one.
   *
   * @param webhooks whether each resource has webhooks
   * @throws IllegalArgumentException when two resources would have the same file
   */
  public Map<String, String> files(List<ApiTemplate> resources, boolean webhooks) {
    Map<String, String> files = new LinkedHashMap<>();
    addFrame(files);
    StringBuilder services = new StringBuilder();
    for (ApiTemplate resource : resources) {
      Map<String, String> more = new LinkedHashMap<>(resource.files());
      services.append(resource.controller()).append('\n');
      if (webhooks) {
        more.putAll(resource.webhookFiles());
        services.append(resource.webhook()).append('\n');
      }
      more.forEach((path, text) -> {
        if (files.put(path, text) != null) {
          throw new IllegalArgumentException(
              "two resources would have the file %s; use other kinds".formatted(path));
        }
      });
    }
    files.put(SERVICES, services.toString());
    return files;
  }

  private void addFrame(Map<String, String> files) {
    if (gradle) {
      for (String file : OF_GRADLE) {
        files.put(named(file), replaced(TemplateFiles.text("gradle/" + file)));
      }
    } else {
      add(OF_MAVEN, files);
    }
    if (!kotlin) {
      add(PACKAGES, files); // Kotlin has no such files
    }
  }

  private void add(List<String> some, Map<String, String> files) {
    for (String file : some) {
      String one = TemplateFiles.path(file, kotlin);
      String text = TemplateFiles.text(one);
      if (kotlin && file.equals("pom.xml")) {
        text =
            text.replace(NAME_OF_JAR, NAME_OF_JAR + KOTLIN_FOLDERS)
                .replace(PLUGINS, PLUGINS + KOTLIN_PLUGIN);
      }
      files.put(named(one), replaced(text));
    }
  }

  private String named(String file) {
    return file.replace("/hello/", "/" + javaPackage.replace('.', '/') + "/")
        .replace("Greeter", className)
        .replace("gitignore", ".gitignore");
  }

  private String replaced(String text) {
    return text.replace("package hello", "package " + javaPackage)
        .replace("hello.Greeter", javaPackage + ".Greeter")
        .replace("<groupId>hello<", "<groupId>" + group + "<")
        .replace("group = 'hello'", "group = '" + group + "'")
        .replace("<version>" + VERSION + "<", "<version>" + version + "<")
        .replace("Greeter", className)
        .replace("greeter", name);
  }
}
