// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.pods;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.coxswain.host.internal.dev.dist.Program;
import dev.coxswain.host.internal.jvm.StallLimit;
import dev.coxswain.host.internal.lifecycle.HostException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The layers of an image of {@code coxswain image} or {@code coxswain dist}, one over the other in a folder.
 *
 * <p>Thread rule: immutable.
 */
public final class ImageLayers {

  private static final ObjectMapper JSON = new ObjectMapper();

  /** What a layer deletes of those below it; no layer of Coxswain does. */
  private static final String DELETED = ".wh.";

  private final Path documents;
  private final Path root;
  private final JsonNode manifest;
  private final JsonNode config;

  /**
   * Unpacks the archive of an image into two new folders.
   *
   * @param tar the archive
   * @param folder where the folders are made
   * @param limit how long the program that unpacks it may do nothing
   */
  public ImageLayers(Path tar, Path folder, StallLimit limit) throws IOException, HostException {
    documents = Files.createDirectory(folder.resolve("unpacked"));
    root = Files.createDirectory(folder.resolve("root"));
    Program.output(limit, "tar", "-xf", tar.toString(), "-C", documents.toString());
    JsonNode index = JSON.readTree(documents.resolve("index.json").toFile());
    manifest = blob(index.at("/manifests/0"));
    config = blob(manifest.path("config"));
    for (JsonNode layer : manifest.path("layers")) {
      String names =
          Program.output(
              limit,
              "tar",
              "-xvzf",
              file(layer).toString(),
              "--same-permissions",
              "-C",
              root.toString());
      if (names.contains(DELETED)) {
        throw new HostException(tar + ": a layer deletes files, which no layer of Coxswain does");
      }
    }
  }

  /** Returns the folder with the documents of the archive. */
  public Path documents() {
    return documents;
  }

  /** Returns the folder that a container has as its root. */
  public Path root() {
    return root;
  }

  public JsonNode manifest() {
    return manifest;
  }

  public JsonNode config() {
    return config;
  }

  /** Returns the names of the image, with their tags. */
  public List<String> references() throws IOException {
    List<String> references = new ArrayList<>();
    JSON.readTree(documents.resolve("manifest.json").toFile())
        .at("/0/RepoTags")
        .forEach(tag -> references.add(tag.asText()));
    return references;
  }

  /** Returns the file of a descriptor. */
  public Path file(JsonNode descriptor) {
    return documents.resolve(
        "blobs/sha256/" + descriptor.path("digest").asText().replace("sha256:", ""));
  }

  private JsonNode blob(JsonNode descriptor) throws IOException {
    return JSON.readTree(file(descriptor).toFile());
  }

  /** Returns the words of an entry of the configuration, such as {@code Entrypoint}. */
  public List<String> words(String entry) {
    List<String> words = new ArrayList<>();
    config.path("config").path(entry).forEach(word -> words.add(word.asText()));
    return words;
  }

  /** Returns the variables of the image. */
  public Map<String, String> variables() {
    Map<String, String> variables = new LinkedHashMap<>();
    for (String variable : words("Env")) {
      String[] parts = variable.split("=", 2);
      variables.put(parts[0], parts[1]);
    }
    return variables;
  }
}
