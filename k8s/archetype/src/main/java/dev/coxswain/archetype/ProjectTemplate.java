// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.archetype;

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
 * names. The template is packaged with this class.
 *
 * <p>Thread rule: immutable.
 *
 * @param group the group of the artifact
 * @param name the name of the project, of its artifact and of its controller
 * @param version the version of the artifact
 * @param javaPackage the package of its classes
 * @param className the name of the class of its controller
 */
public record ProjectTemplate(
    String group, String name, String version, String javaPackage, String className) {

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

  private static final List<String> FILES =
      List.of(
          "README.md",
          "pom.xml",
          "gitignore",
          "src/main/java/hello/package-info.java",
          "src/test/java/hello/package-info.java");
  private static final List<String> GREETER =
      List.of("src/main/java/hello/Greeter.java", "src/test/java/hello/GreeterTest.java");

  /**
   * Returns the project of a name, whose group is its package and whose class is {@code OrderSync} for
   * {@code order-sync}.
   *
   * @param name small letters, digits and {@code -}, at most 63, the first one a letter
   * @param javaPackage the package of the classes
   * @throws IllegalArgumentException when one of them cannot be used; the message names what can
   */
  public static ProjectTemplate of(String name, String javaPackage) {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "\"%s\" cannot be the name of a controller: use small letters, digits and -"
              .formatted(name));
    }
    requirePackage(javaPackage);
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
    return new ProjectTemplate(javaPackage, name, VERSION, javaPackage, className);
  }

  /**
   * Returns the name of a package.
   *
   * @throws IllegalArgumentException when it cannot be one
   */
  public static String requirePackage(String javaPackage) {
    if (!SourceVersion.isName(javaPackage)) {
      throw new IllegalArgumentException(
          "\"" + javaPackage + "\" is no name of a package; set another one");
    }
    return javaPackage;
  }

  /** Returns the texts of all files by their paths in the project, with {@code /}. */
  public Map<String, String> files() {
    Map<String, String> files = new LinkedHashMap<>();
    add(FILES, files);
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
    add(FILES, files);
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

  private void add(List<String> some, Map<String, String> files) {
    for (String file : some) {
      files.put(named(file), replaced(TemplateFiles.text(file)));
    }
  }

  private String named(String file) {
    return file.replace("java/hello/", "java/" + javaPackage.replace('.', '/') + "/")
        .replace("Greeter", className)
        .replace("gitignore", ".gitignore");
  }

  private String replaced(String text) {
    return text.replace("package hello;", "package " + javaPackage + ";")
        .replace("hello.Greeter", javaPackage + ".Greeter")
        .replace("<groupId>hello<", "<groupId>" + group + "<")
        .replace("<version>" + VERSION + "<", "<version>" + version + "<")
        .replace("Greeter", className)
        .replace("greeter", name);
  }
}
