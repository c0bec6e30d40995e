// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.pods;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import dev.coxswain.host.internal.dev.DevSession;
import dev.coxswain.host.internal.dev.DevToken;
import dev.coxswain.host.internal.dev.dist.ImageFiles;
import dev.coxswain.host.internal.lifecycle.HostException;
import dev.coxswain.k8s.client.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The files, the environment and the command of one run of a pod. Without the rights of root nothing can be mounted:
 * paths of the image and of mounts are replaced by those of folders, where the Deployment and the image name them.
 *
 * <p>Thread rule: one thread.
 */
final class PodFiles {

  private static final String APP = ImageFiles.APP_FOLDER;
  private static final String TOKEN = "token";

  private final PodPlan plan;
  private final LocalPod.Place place;
  private final Path folder;

  private final PodPaths paths;

  /** Replaces the files by what the API server has at this time. */
  PodFiles(PodPlan plan, LocalPod.Place place) throws IOException, HostException {
    this.plan = plan;
    this.place = place;
    this.folder = plan.folder().resolve(place.name());
    if (Files.exists(folder)) {
      DevSession.delete(folder);
    }
    Files.createDirectories(folder);
    Map<String, Path> folders = new HashMap<>();
    folders.put(APP, plan.image().root().resolve(APP.substring(1)));
    Map<String, JsonObject> volumes = new HashMap<>();
    for (JsonElement volume : plan.spec().getAsJsonArray("volumes")) {
      volumes.put(Json.text(volume, "name"), volume.getAsJsonObject());
    }
    for (JsonElement mount : plan.container().getAsJsonArray("volumeMounts")) {
      JsonObject volume = volumes.getOrDefault(Json.text(mount, "name"), new JsonObject());
      folders.put(Json.text(mount, "mountPath"), contents(volume));
    }
    paths = new PodPaths(folders);
    DevToken.write(kubeconfig(), plan.cluster().kubeconfig(token()));
  }

  Path token() {
    return folder.resolve(TOKEN);
  }

  private Path kubeconfig() {
    return folder.resolve("kubeconfig");
  }

  private Path contents(JsonObject volume) throws IOException, HostException {
    Path target =
        Files.createDirectories(folder.resolve("volumes").resolve(Json.text(volume, "name")));
    if (volume.get("configMap") instanceof JsonObject source) {
      write(target, plan.cluster().data("configmaps", Json.text(source, "name")), false);
    } else if (volume.get("secret") instanceof JsonObject source) {
      write(target, plan.cluster().data("secrets", Json.text(source, "secretName")), true);
    } else if (!volume.has("emptyDir")) {
      throw new HostException("a volume of this kind cannot be made on this machine: " + volume);
    }
    return target;
  }

  private static void write(Path folder, JsonObject data, boolean encoded) throws IOException {
    for (Map.Entry<String, JsonElement> file : data.entrySet()) {
      String text = file.getValue().getAsString();
      Files.write(
          folder.resolve(file.getKey()),
          encoded ? Base64.getDecoder().decode(text) : text.getBytes(StandardCharsets.UTF_8));
    }
  }

  /** Returns the command: that of the image, with the arguments of the Deployment. */
  List<String> command() throws IOException {
    List<String> command = new ArrayList<>();
    for (String word : plan.image().words("Entrypoint")) {
      if (word.startsWith("@")) {
        // A file of arguments, with paths of the image in it.
        Path options = folder.resolve("options");
        Files.writeString(
            options,
            paths.in(Files.readString(plan.image().root().resolve(word.substring("@/".length())))));
        command.add("@" + options);
      } else {
        command.add(paths.in(word));
      }
    }
    List<String> flags = new ArrayList<>();
    if (!plan.memory().isEmpty()) {
      flags.add("-XX:MaxRAM=" + plan.memory()); // as the JVM finds it in a container
    }
    flags.add("-Djava.io.tmpdir=" + paths.in("/tmp"));
    command.addAll(1, flags);
    plan.ownArguments().forEach(argument -> command.add(paths.in(argument)));
    return command;
  }

  /** Returns the whole environment. */
  Map<String, String> environment() throws HostException {
    Map<String, String> environment = new HashMap<>();
    plan.image().variables().forEach((key, value) -> environment.put(key, paths.in(value)));
    for (JsonElement one : plan.container().getAsJsonArray("env")) {
      JsonObject variable = one.getAsJsonObject();
      environment.put(
          Json.text(variable, "name"),
          variable.get("valueFrom") instanceof JsonObject from
              ? field(from)
              : paths.in(Json.text(variable, "value")));
    }
    for (String section : List.of("ADMIN", "HEALTH", "METRICS", "WEBHOOKS")) {
      environment.put("COXSWAIN_" + section + "__HOST", place.address());
    }
    environment.put("COXSWAIN_KUBERNETES__KUBECONFIG", kubeconfig().toString());
    environment.put("COXSWAIN_SHARED_LIMITER__PORT", Integer.toString(place.members()));
    environment.putAll(plan.variables());
    return environment;
  }

  private String field(JsonObject from) throws HostException {
    String field = Json.text(from.get("fieldRef"), "fieldPath");
    return switch (field) {
      case "status.podIP" -> place.address();
      case "metadata.namespace" -> plan.cluster().namespace();
      case "metadata.name" -> place.name();
      default ->
          throw new HostException("a variable of this kind cannot be set on this machine: " + from);
    };
  }
}
