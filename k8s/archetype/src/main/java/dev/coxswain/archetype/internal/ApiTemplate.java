// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.archetype.internal;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.lang.model.SourceVersion;

/**
 * A custom resource in a project: its class, its controller and their test, the definition, an example,
 * and webhooks. They are those of {@code examples/plugin}, with other names.
 *
 * <p>Thread rule: immutable.
 *
 * @param javaPackage the package of its classes
 * @param kind its kind, which is the name of its class
 * @param group the API group
 * @param version its version
 * @param plural its plural
 * @param definition the path of its definition in the project
 * @param kotlin whether its classes are written in Kotlin
 */
public record ApiTemplate(
    String javaPackage,
    String kind,
    String group,
    String version,
    String plural,
    String definition,
    boolean kotlin) {

  /** Where a project has the definitions of its resources; {@code coxswain dev} applies them. */
  public static final String DEFINITIONS = "src/main/resources/coxswain/dev";

  private static final Pattern RESOURCE =
      Pattern.compile("(?<kind>[^./]+)(\\.(?<group>[^/]+))?(/(?<version>.+))?");
  private static final Pattern KIND = Pattern.compile("[A-Z][A-Za-z0-9]{1,49}");
  private static final Pattern GROUP =
      Pattern.compile(
          "(?=.{1,200}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)+");
  private static final Pattern VERSION =
      Pattern.compile("v[1-9][0-9]{0,3}((alpha|beta)[1-9][0-9]{0,3})?");

  private static final String DEFINITION = DEFINITIONS + "/greeter/crd-gizmos.yaml";
  private static final List<String> API =
      List.of(
          "src/main/java/hello/Gizmo.java",
          "src/main/java/hello/GizmoController.java",
          "src/test/java/hello/GizmoControllerTest.java",
          DEFINITION,
          "src/main/k8s/examples/gizmo.yaml");
  private static final List<String> WEBHOOK =
      List.of("src/main/java/hello/GizmoWebhook.java", "src/test/java/hello/GizmoWebhookTest.java");

  /** Names of classes that the template uses, with which that of a kind must not be mixed up. */
  private static final Set<String> USED =
      Set.of(
          "AdmissionRequest",
          "AdmissionResponse",
          "ApiStatusException",
          "BeforeEach",
          "Clock",
          "Condition",
          "CustomObject",
          "CustomResource",
          "Duration",
          "Files",
          "IOException",
          "Int",
          "Integer",
          "KubernetesResource",
          "List",
          "Long",
          "Object",
          "Path",
          "Predicates",
          "PrinterColumn",
          "Schema",
          "Spec",
          "Status",
          "StatusConditions",
          "WebhookDefinition",
          "Webhooks",
          "V1Condition");

  /**
   * Returns a resource of a project.
   *
   * @param resource {@code Kind}, {@code Kind.group} or {@code Kind.group/version}; the group is that of
   *     the package unless given, and the version {@code v1}
   * @param project the name of the project
   * @param javaPackage the package of the classes
   * @param kotlin whether they are written in Kotlin
   * @throws IllegalArgumentException when a part cannot be used; the message names what can
   */
  public static ApiTemplate of(
      String resource, String project, String javaPackage, boolean kotlin) {
    Matcher parts = RESOURCE.matcher(resource);
    if (!parts.matches()) {
      throw new IllegalArgumentException(
          "\"%s\" is no resource: use Kind, Kind.group or Kind.group/version, such as Website.shop.example.com/v1"
              .formatted(resource));
    }
    String kind = requireKind(parts.group("kind"));
    String group = parts.group("group");
    if (group == null) {
      group = groupOf(javaPackage);
    } else if (!GROUP.matcher(group).matches()) {
      throw new IllegalArgumentException(
          "\"%s\" cannot be a group: use a domain with a dot, such as shop.example.com"
              .formatted(group));
    } else if (group.matches("(.*\\.)?(k8s|kubernetes)\\.io")) {
      throw new IllegalArgumentException(
          "\"%s\" is a group of Kubernetes; use one of your own".formatted(group));
    }
    String version = parts.group("version") == null ? "v1" : parts.group("version");
    if (!VERSION.matcher(version).matches()) {
      throw new IllegalArgumentException(
          "\"%s\" cannot be a version: use one such as v1, v1beta1 or v1alpha1".formatted(version));
    }
    String plural = pluralOf(kind.toLowerCase(Locale.ROOT));
    return new ApiTemplate(
        javaPackage,
        kind,
        group,
        version,
        plural,
        DEFINITIONS + "/" + project + "/crd-" + plural + ".yaml",
        kotlin);
  }

  /**
   * Returns a kind.
   *
   * @throws IllegalArgumentException when it cannot be one, or cannot be the name of a class here
   */
  public static String requireKind(String kind) {
    if (!KIND.matcher(kind).matches()) {
      throw new IllegalArgumentException(
          "\"%s\" cannot be a kind: use letters and digits, the first one a capital, 2 to 50, such as Website"
              .formatted(kind));
    }
    if (USED.contains(kind)
        || ProjectTemplate.USED.contains(kind)
        || SourceVersion.isKeyword(pluralOf(kind.toLowerCase(Locale.ROOT)))) {
      throw new IllegalArgumentException(
          "the classes of a resource need %s from elsewhere; use another kind".formatted(kind));
    }
    return kind;
  }

  /** The rule of Kubernetes, and those words that end with {@code x}, {@code z}, {@code ch} or {@code sh}. */
  private static String pluralOf(String singular) {
    if (singular.matches(".*(s|x|z|ch|sh)")) {
      return singular + "es";
    }
    return singular.matches(".*[^aeiou]y")
        ? singular.substring(0, singular.length() - 1) + "ies"
        : singular + "s";
  }

  /** The domain of a package, {@code shop.example.com} for {@code com.example.shop}. */
  private static String groupOf(String javaPackage) {
    List<String> words =
        Arrays.stream(javaPackage.toLowerCase(Locale.ROOT).split("\\.", -1))
            .map(word -> word.replaceAll("^_+|_+$", "").replaceAll("[^a-z0-9]", "-"))
            .filter(word -> !word.isEmpty())
            .collect(Collectors.toList());
    String group =
        words.size() == 1 ? words.getFirst() + ".example.com" : String.join(".", words.reversed());
    if (!GROUP.matcher(group).matches()) {
      throw new IllegalArgumentException(
          "the package %s yields no group; give one, such as Website.shop.example.com"
              .formatted(javaPackage));
    }
    return group;
  }

  /** Returns the files of class, controller, test, definition and example: texts by paths. */
  public Map<String, String> files() {
    return files(API);
  }

  /** Returns the files of the webhooks and their test: texts by paths. */
  public Map<String, String> webhookFiles() {
    return files(WEBHOOK);
  }

  /** Returns the name of the class of the controller. */
  public String controller() {
    return javaPackage + "." + kind + "Controller";
  }

  /** Returns the name of the class of the webhooks. */
  public String webhook() {
    return javaPackage + "." + kind + "Webhook";
  }

  /** Returns the path of the example. */
  public String example() {
    return named("src/main/k8s/examples/gizmo.yaml");
  }

  private Map<String, String> files(List<String> some) {
    Map<String, String> files = new LinkedHashMap<>();
    for (String file : some) {
      String one = TemplateFiles.path(file, kotlin);
      files.put(named(one), named(TemplateFiles.text(one)));
    }
    return files;
  }

  /** Replaces what is in paths and what is in texts at once: no name of either is in the other. */
  private String named(String text) {
    Map<String, String> names = new LinkedHashMap<>();
    names.put("/hello/", "/" + javaPackage.replace('.', '/') + "/");
    names.put("package hello", "package " + javaPackage);
    names.put(DEFINITION, definition);
    names.put("hello.example.com/v1", group + "/" + version);
    names.put("hello.example.com", group);
    names.put("version = \"v1\"", "version = \"" + version + "\"");
    names.put("- name: v1\n", "- name: " + version + "\n");
    names.put("gizmos", plural);
    names.put("gizmo", kind.toLowerCase(Locale.ROOT));
    names.put("Gizmo", kind);
    return TemplateFiles.replaced(text, names);
  }
}
