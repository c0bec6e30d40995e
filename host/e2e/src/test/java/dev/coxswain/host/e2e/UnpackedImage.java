// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The layers of an image one over the other, and processes in them, as a container engine does. */
final class UnpackedImage {

  private static final ObjectMapper JSON = new ObjectMapper();

  /**
   * What an engine mounts; then the image is read-only, and a user without rights takes over. A
   * volume is SOURCE=TARGET, and read-only; the source tmpfs is an empty one that can be written.
   */
  private static final String ENTER =
      """
      set -e
      root=$1 user=$2
      shift 2
      mount --bind "$root" "$root"
      mount --rbind /proc "$root/proc"
      mount --rbind /dev "$root/dev"
      while [ "$1" != -- ]; do
        target=$root${1#*=}
        case $1 in
          tmpfs=*) mount -t tmpfs -o size=64m,mode=1777 tmpfs "$target" ;;
          *)
            mount --bind "${1%%=*}" "$target"
            mount -o remount,bind,ro "$target"
            ;;
        esac
        shift
      done
      shift
      mount -o remount,bind,ro "$root"
      exec chroot ${user:+--userspec="$user"} "$root" "$@"
      """;

  private final Path documents;
  private final Path root;
  private final JsonNode manifest;
  private final JsonNode config;

  /** Unpacks the archive of an image into two new folders. */
  UnpackedImage(Path tar, Path folder) throws Exception {
    documents = Files.createDirectory(folder.resolve("unpacked"));
    root = Files.createDirectory(folder.resolve("root"));
    Distribution.program(documents, "tar", "-xf", tar.toString());
    JsonNode index = JSON.readTree(documents.resolve("index.json").toFile());
    manifest = blob(index.at("/manifests/0"));
    config = blob(manifest.path("config"));
    for (JsonNode layer : manifest.path("layers")) {
      String names =
          Distribution.program(root, "tar", "-xvzf", file(layer).toString(), "--same-permissions");
      assertThat(names).as("no layer deletes anything").doesNotContain(".wh.");
    }
  }

  /** Returns the folder with the documents of the archive. */
  Path documents() {
    return documents;
  }

  /** Returns the folder that a container has as its root. */
  Path root() {
    return root;
  }

  JsonNode manifest() {
    return manifest;
  }

  JsonNode config() {
    return config;
  }

  /** Returns the file of a descriptor. */
  Path file(JsonNode descriptor) {
    return documents.resolve(
        "blobs/sha256/" + descriptor.path("digest").asText().replace("sha256:", ""));
  }

  private JsonNode blob(JsonNode descriptor) throws IOException {
    return JSON.readTree(file(descriptor).toFile());
  }

  /** Returns the words of an entry of the configuration, such as {@code Entrypoint}. */
  List<String> words(String entry) {
    List<String> words = new ArrayList<>();
    config.path("config").path(entry).forEach(word -> words.add(word.asText()));
    return words;
  }

  /** Returns the value of a variable of the image. */
  String variable(String name) {
    return words("Env").stream()
        .filter(one -> one.startsWith(name + "="))
        .map(one -> one.substring(name.length() + 1))
        .findFirst()
        .orElseThrow();
  }

  /** Returns the environment of the image with more variables. */
  Map<String, String> environment(Map<String, String> more) {
    Map<String, String> all = new HashMap<>(more);
    for (String variable : words("Env")) {
      String[] parts = variable.split("=", 2);
      if (!parts[0].equals("PATH")) { // the programs that lead into the image are found by it
        all.put(parts[0], parts[1]);
      }
    }
    return all;
  }

  /**
   * Returns the command that runs a program in the image, behind {@code unshare} and its flags.
   *
   * @param user the user and group, or nothing to stay the present one
   */
  List<String> enter(String user, List<String> volumes, List<String> program) {
    List<String> command = new ArrayList<>(List.of("/bin/sh", "-c", ENTER, "enter"));
    command.addAll(List.of(root.toString(), user));
    command.addAll(volumes);
    command.add("--");
    command.addAll(program);
    return command;
  }
}
