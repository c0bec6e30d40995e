// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.dist;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.host.internal.lifecycle.HostException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The bill of materials in the format CycloneDX: what the build wrote for the jars, and what an
 * image adds.
 *
 * <p>Thread rule: one thread.
 */
public final class Sbom {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String COMPONENTS = "components";

  private final ObjectNode document;

  private Sbom(ObjectNode document) {
    this.document = document;
  }

  /** Reads the one of the build, and checks that it has exactly the jars of the distribution. */
  public static Sbom read(SourceTree tree) throws IOException, HostException {
    Path written = tree.app().resolve("sbom.json");
    if (!Files.exists(written)) {
      throw new HostException(
          tree.isCopy()
              ? "the repository of Coxswain has no bill of materials of its jars: in its clone, run host/bin/coxswain dist and then coxswain new with any name"
              : "the build has not written %s: Maven needs the network for it, and COXSWAIN_SKIP_BUILD must not be set"
                  .formatted(written));
    }
    Sbom sbom = new Sbom((ObjectNode) JSON.readTree(written.toFile()));
    Map<String, String> missing = new TreeMap<>();
    for (Path jar : tree.jars()) {
      missing.put(jar.getFileName().toString(), "");
    }
    missing.remove("coxswain-host-launcher.jar"); // the subject of the document
    List<String> additional = new ArrayList<>();
    for (JsonNode component : sbom.document.path(COMPONENTS)) {
      String jar = component.path("name").asText() + "-" + component.path("version").asText();
      if (missing.remove(jar + ".jar") == null) {
        additional.add(jar);
      }
    }
    if (!missing.isEmpty() || !additional.isEmpty()) {
      throw new HostException(
          "the bill of materials differs from the jars: it lacks "
              + missing.keySet()
              + " and has in addition "
              + additional);
    }
    return sbom;
  }

  /** Adds a component that is not a jar. */
  void add(String type, String name, String version, String license) {
    ObjectNode component = ((ArrayNode) document.get(COMPONENTS)).addObject();
    component.put("type", type).put("name", name).put("version", version);
    component.put("bom-ref", name + "@" + version);
    component.putArray("licenses").addObject().putObject("license").put("id", license);
  }

  byte[] toJson() throws IOException {
    return (JSON.writerWithDefaultPrettyPrinter().writeValueAsString(document) + "\n")
        .getBytes(StandardCharsets.UTF_8);
  }

  /**
   * Returns a table of all components and their licenses.
   *
   * @throws HostException when one has none
   */
  String licenses() throws HostException {
    return licenses(_ -> true);
  }

  /**
   * Returns the table of some jars.
   *
   * @throws HostException when one has none
   */
  String licenses(List<Path> jars) throws HostException {
    Set<String> names =
        jars.stream().map(jar -> jar.getFileName().toString()).collect(Collectors.toSet());
    return licenses(component ->
        names.contains(
            component.path("name").asText() + "-" + component.path("version").asText() + ".jar"));
  }

  private String licenses(Predicate<JsonNode> which) throws HostException {
    List<String> lines = new ArrayList<>();
    List<String> unknown = new ArrayList<>();
    for (JsonNode component : document.path(COMPONENTS)) {
      if (!which.test(component)) {
        continue;
      }
      String name = component.path("name").asText() + " " + component.path("version").asText();
      List<String> names = new ArrayList<>();
      for (JsonNode license : component.path("licenses")) {
        names.add(
            Stream.of(
                    license.path("expression"),
                    license.at("/license/id"),
                    license.at("/license/name"))
                .map(JsonNode::asText)
                .filter(text -> !text.isBlank())
                .findFirst()
                .orElse(""));
      }
      names.removeIf(String::isBlank);
      if (names.isEmpty()) {
        unknown.add(name);
      }
      lines.add(name + ": " + String.join(" or ", names));
    }
    if (!unknown.isEmpty()) {
      throw new HostException("without a license in the bill of materials: " + unknown);
    }
    lines.sort(String.CASE_INSENSITIVE_ORDER);
    return String.join("\n", lines) + "\n";
  }
}
