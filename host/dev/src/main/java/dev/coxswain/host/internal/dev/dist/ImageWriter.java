// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.dist;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/**
 * Writes an image as one tar file: an OCI image layout, and the manifest that {@code docker load}
 * reads, for the same layers.
 *
 * <p>Thread rule: immutable.
 */
public final class ImageWriter {

  private static final String BLOBS = "blobs/sha256/";
  private static final String SHA256 = "sha256:";
  private static final String OCI = "application/vnd.oci.image.";
  private static final ObjectMapper JSON = new ObjectMapper();

  private final String repository;
  private final String version;
  private final Instant time;
  private final List<ImageLayer> layers;

  /**
   * Creates the writer of an image.
   *
   * @param repository the name, with the registry where it has one
   * @param time the time of the image
   */
  public ImageWriter(String repository, String version, Instant time, List<ImageLayer> layers) {
    this.repository = repository;
    this.version = version;
    this.time = time;
    this.layers = List.copyOf(layers);
  }

  /**
   * Writes the file.
   *
   * @param settings user, environment, entry point and labels, as the OCI specification has them
   */
  public void write(OutputStream out, ObjectNode settings) throws IOException {
    byte[] config = bytes(config(settings));
    byte[] manifest = bytes(manifest(config));
    List<TarEntry> entries = new ArrayList<>();
    entries.add(TarEntry.folder("blobs"));
    entries.add(TarEntry.folder("blobs/sha256"));
    entries.add(TarEntry.text("oci-layout", "{\"imageLayoutVersion\":\"1.0.0\"}\n"));
    entries.add(TarEntry.bytes("index.json", bytes(index(manifest))));
    entries.add(TarEntry.bytes("manifest.json", bytes(dockerManifest(config))));
    entries.add(TarEntry.bytes(BLOBS + sha256(config), config));
    entries.add(TarEntry.bytes(BLOBS + sha256(manifest), manifest));
    for (ImageLayer layer : layers) {
      entries.add(TarEntry.file(BLOBS + layer.digest(), layer.file()));
    }
    TarWriter.write(out, entries, time);
  }

  /** Returns the name of this processor in images. */
  static String architecture() {
    String name = System.getProperty("os.arch", "");
    return Map.of("x86_64", "amd64", "aarch64", "arm64").getOrDefault(name, name);
  }

  private ObjectNode config(ObjectNode settings) {
    ObjectNode config = JSON.createObjectNode();
    config.put("created", time.toString()).put("architecture", architecture()).put("os", "linux");
    config.set("config", settings);
    ObjectNode files = config.putObject("rootfs").put("type", "layers");
    ArrayNode diffs = files.putArray("diff_ids");
    ArrayNode history = config.putArray("history");
    for (ImageLayer layer : layers) {
      diffs.add(SHA256 + layer.diffId());
      history
          .addObject()
          .put("created", time.toString())
          .put("created_by", "coxswain dist: " + layer.name());
    }
    return config;
  }

  private ObjectNode manifest(byte[] config) throws IOException {
    ObjectNode manifest = JSON.createObjectNode().put("schemaVersion", 2);
    manifest.put("mediaType", OCI + "manifest.v1+json");
    manifest.set("config", descriptor(OCI + "config.v1+json", sha256(config), config.length));
    ArrayNode all = manifest.putArray("layers");
    for (ImageLayer layer : layers) {
      all.add(descriptor(OCI + "layer.v1.tar+gzip", layer.digest(), Files.size(layer.file())));
    }
    return manifest;
  }

  private ObjectNode index(byte[] manifest) {
    ObjectNode index = JSON.createObjectNode().put("schemaVersion", 2);
    index.put("mediaType", OCI + "index.v1+json");
    ObjectNode one = descriptor(OCI + "manifest.v1+json", sha256(manifest), manifest.length);
    one.putObject("platform").put("architecture", architecture()).put("os", "linux");
    one.putObject("annotations")
        .put("io.containerd.image.name", fullName() + ":" + version)
        .put("org.opencontainers.image.ref.name", version);
    index.putArray("manifests").add(one);
    return index;
  }

  /** Returns the name with a registry: the first part is one when it cannot be a name alone. */
  private String fullName() {
    int slash = repository.indexOf('/');
    if (slash < 0) {
      return "docker.io/library/" + repository;
    }
    String first = repository.substring(0, slash);
    return first.contains(".") || first.contains(":") || first.equals("localhost")
        ? repository
        : "docker.io/" + repository;
  }

  private ArrayNode dockerManifest(byte[] config) {
    ArrayNode manifest = JSON.createArrayNode();
    ObjectNode one = manifest.addObject().put("Config", BLOBS + sha256(config));
    one.putArray("RepoTags").add(repository + ":" + version);
    ArrayNode all = one.putArray("Layers");
    layers.forEach(layer -> all.add(BLOBS + layer.digest()));
    return manifest;
  }

  private static ObjectNode descriptor(String type, String digest, long size) {
    return JSON.createObjectNode()
        .put("mediaType", type)
        .put("digest", SHA256 + digest)
        .put("size", size);
  }

  private static byte[] bytes(Object value) throws IOException {
    return JSON.writeValueAsBytes(value);
  }

  private static String sha256(byte[] bytes) {
    return HexFormat.of().formatHex(DistOutput.sha256().digest(bytes));
  }
}
