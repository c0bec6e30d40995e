// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.operation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.resource.ResourceType;
import dev.coxswain.apiserver.internal.status.Cause;
import dev.coxswain.apiserver.internal.status.Causes;
import dev.coxswain.apiserver.internal.status.Names;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Rules of {@code metadata}; any thread. */
final class MetaRules {
  private static final int MAX_ANNOTATIONS = 256 * 1024;
  private static final Set<String> STANDARD_FINALIZERS =
      Set.of("kubernetes", "orphan", "foregroundDeletion");

  /** Groups that check the form of finalizers only. */
  private static final Set<String> UNPREFIXED =
      Set.of("apiextensions.k8s.io", "coordination.k8s.io");

  private MetaRules() {}

  /** The faults of the metadata of a new object. */
  static Causes validate(ResourceType type, ObjectNode object) {
    Causes causes = new Causes();
    ObjectNode meta = Json.ensure(object, "metadata");
    name(type, Json.text(meta, "generateName"), Json.text(meta, "name"), causes);
    always(meta, causes);
    List<String> finalizers = Json.texts(meta.path("finalizers"));
    finalizers.forEach(f -> qualified("metadata.finalizers", f, f, causes));
    if (finalizers.containsAll(List.of("orphan", "foregroundDeletion"))) {
      causes
          .at("metadata.finalizers")
          .invalid(
              meta.path("finalizers").toString(),
              "finalizer orphan and foregroundDeletion cannot be both set");
    }
    fullyQualified(type, finalizers, causes);
    return causes;
  }

  private static void always(ObjectNode meta, Causes causes) {
    labels(meta, causes);
    annotations(meta, causes);
    owners(meta, causes);
  }

  /**
   * The changes of metadata that an update must not make. The real server checks it for all kinds and again for
   * the kind, so every cause is there twice; some kinds check all of it a third time.
   */
  static Causes validateUpdate(
      ResourceType type, ObjectNode old, ObjectNode object, ObjectNode given, boolean all) {
    Causes causes = new Causes();
    ObjectNode oldMeta = Json.ensure(old, "metadata");
    ObjectNode meta = Json.ensure(object, "metadata");
    if (oldMeta.hasNonNull("deletionTimestamp")) {
      List<String> before = Json.texts(oldMeta.path("finalizers"));
      List<String> added = Json.texts(meta.path("finalizers"));
      added.removeAll(before);
      if (!added.isEmpty()) {
        String list = added.stream().sorted().map(Cause::quote).collect(Collectors.joining(", "));
        causes
            .at("metadata.finalizers")
            .forbidden(
                "no new finalizers can be added if the object is being deleted, found new finalizers []string{"
                    + list
                    + "}");
      }
    }
    String uid = Json.text(given, "uid");
    if (!uid.isEmpty() && !uid.equals(Json.text(oldMeta, "uid"))) {
      causes.at("metadata.uid", uid).invalidText("field is immutable");
    }
    if (!oldMeta.hasNonNull("deletionTimestamp") && given.hasNonNull("deletionTimestamp")) {
      causes
          .at("metadata.deletionTimestamp", Json.text(given, "deletionTimestamp"))
          .invalidText("field is immutable");
    }
    JsonNode grace = given.path("deletionGracePeriodSeconds");
    if (grace.isNumber() && !grace.equals(oldMeta.get("deletionGracePeriodSeconds"))) {
      causes
          .at("metadata.deletionGracePeriodSeconds")
          .invalid(grace.toString(), "field is immutable");
    }
    always(meta, causes);
    causes.addAll(List.copyOf(causes)); // the real server names these twice
    fullyQualified(type, Json.texts(meta.path("finalizers")), causes);
    if (all) {
      causes.addAll(validate(type, object));
    }
    return causes;
  }

  private static void name(ResourceType type, String generate, String name, Causes causes) {
    if (!generate.isEmpty()) {
      // a prefix may end where a whole name may not
      String prefix = generate.replaceAll("[-.]$", "a");
      causes.at("metadata.generateName", generate).invalidText(problems(type, prefix));
    }
    if (name.isEmpty()) {
      causes.at("metadata.name").missing("name or generateName is required");
      return;
    }
    causes.at("metadata.name", name).invalidText(problems(type, name));
  }

  private static List<String> problems(ResourceType type, String name) {
    if (type.group().equals("rbac.authorization.k8s.io")) {
      return Names.pathSegment(name);
    }
    return type.is("", "namespaces") || type.is("", "services")
        ? Names.label(name)
        : Names.subdomain(name);
  }

  private static void labels(ObjectNode meta, Causes causes) {
    for (Map.Entry<String, JsonNode> e : meta.path("labels").properties()) {
      qualified("metadata.labels", e.getKey(), e.getKey(), causes);
      String value = e.getValue().asText();
      causes.at("metadata.labels", value).invalidText(Names.labelValue(value));
    }
  }

  private static void annotations(ObjectNode meta, Causes causes) {
    long size = 0;
    for (Map.Entry<String, JsonNode> e : meta.path("annotations").properties()) {
      String key = e.getKey();
      qualified("metadata.annotations", key.toLowerCase(Locale.ROOT), key, causes);
      size += bytes(key) + (long) bytes(e.getValue().asText());
    }
    if (size > MAX_ANNOTATIONS) {
      causes.at("metadata.annotations").tooLong(MAX_ANNOTATIONS);
    }
  }

  private static int bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }

  private static void qualified(String field, String key, String shown, Causes causes) {
    causes.at(field, shown).invalidText(Names.qualified(key));
  }

  /** Finalizers of built-in kinds are standard ones or have a prefix. */
  private static void fullyQualified(ResourceType type, List<String> finalizers, Causes causes) {
    if (type.custom() || UNPREFIXED.contains(type.group())) {
      return;
    }
    for (int i = 0; i < finalizers.size(); i++) {
      String name = finalizers.get(i);
      if (!name.contains("/") && !STANDARD_FINALIZERS.contains(name)) {
        causes
            .at("metadata.finalizers[" + i + "]", name)
            .invalidText("name is neither a standard finalizer name nor is it fully qualified");
      }
    }
  }

  private static void owners(ObjectNode meta, Causes causes) {
    String path = "metadata.ownerReferences";
    String first = "";
    for (JsonNode owner : meta.path("ownerReferences")) {
      // the version part is what must be there: "apps/" has none
      String apiVersion = Json.text(owner, "apiVersion");
      boolean wrong = apiVersion.indexOf('/') != apiVersion.lastIndexOf('/');
      if (wrong || apiVersion.isEmpty() || apiVersion.endsWith("/")) {
        causes.at(path + ".apiVersion", apiVersion).invalidText("version must not be empty");
      }
      for (String field : List.of("kind", "name", "uid")) {
        if (Json.text(owner, field).isEmpty()) {
          causes.at(path + "." + field, "").invalidText("must not be empty");
        }
      }
      if (apiVersion.equals("v1") && Json.text(owner, "kind").equals("Event")) {
        causes
            .at(path)
            .invalid(owner.toString(), "/v1, Kind=Event is disallowed from being an owner");
      }
      if (owner.path("controller").asBoolean()) {
        String name = Json.text(owner, "kind") + "/" + Json.text(owner, "name");
        if (first.isEmpty()) {
          first = name;
        } else {
          causes
              .at(path)
              .invalid(
                  meta.path("ownerReferences").toString(),
                  "Only one reference can have Controller set to true. Found \"true\" in references for %s and %s"
                      .formatted(first, name));
        }
      }
    }
  }
}
