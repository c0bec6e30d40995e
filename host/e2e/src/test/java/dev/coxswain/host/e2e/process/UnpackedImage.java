// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.process;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.host.internal.dev.pods.ImageLayers;
import dev.coxswain.host.internal.jvm.StallLimit;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The unpacked layers of an image, and processes in them, as a container engine has them. */
public final class UnpackedImage {

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

  private final ImageLayers files;

  /** Unpacks the archive of an image into two new folders. */
  public UnpackedImage(Path tar, Path folder) throws Exception {
    files = new ImageLayers(tar, folder, new StallLimit(StallLimit.DEFAULT));
  }

  /** Returns the folder with the documents of the archive. */
  public Path documents() {
    return files.documents();
  }

  /** Returns the folder that a container has as its root. */
  public Path root() {
    return files.root();
  }

  public JsonNode manifest() {
    return files.manifest();
  }

  public JsonNode config() {
    return files.config();
  }

  /** Returns the file of a descriptor. */
  public Path file(JsonNode descriptor) {
    return files.file(descriptor);
  }

  /** Returns the words of an entry of the configuration, such as {@code Entrypoint}. */
  public List<String> words(String entry) {
    return files.words(entry);
  }

  /** Returns the value of a variable of the image. */
  public String variable(String name) {
    return Objects.requireNonNull(files.variables().get(name), name);
  }

  /** Returns the environment of the image with more variables. */
  public Map<String, String> environment(Map<String, String> more) {
    Map<String, String> all = new HashMap<>(more);
    all.putAll(files.variables());
    all.remove("PATH"); // the programs that lead into the image are found by it
    return all;
  }

  /**
   * Returns the command that runs a program in the image, behind {@code unshare} and its flags.
   *
   * @param user the user and group, or nothing to stay the present one
   */
  public List<String> enter(String user, List<String> volumes, List<String> program) {
    List<String> command = new ArrayList<>(List.of("/bin/sh", "-c", ENTER, "enter"));
    command.addAll(List.of(root().toString(), user));
    command.addAll(volumes);
    command.add("--");
    command.addAll(program);
    return command;
  }
}
