// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.operation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.admission.AdmissionRequest;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.patch.JsonPatch;
import dev.coxswain.apiserver.internal.patch.MergePatch;
import dev.coxswain.apiserver.internal.resource.ResourceType;
import dev.coxswain.apiserver.internal.resource.ServedResource;
import dev.coxswain.apiserver.internal.schema.Decoder;
import dev.coxswain.apiserver.internal.schema.TypeTable;
import dev.coxswain.apiserver.internal.status.ApiException;
import dev.coxswain.apiserver.internal.status.Cause;
import dev.coxswain.apiserver.internal.status.Causes;
import dev.coxswain.apiserver.internal.status.Field;
import dev.coxswain.apiserver.internal.store.StoredObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The scale subresource; confined to the server's event loop. */
public final class Scales {
  private final Updates updates;

  public Scales(Updates updates) {
    this.updates = updates;
  }

  /** Returns the scale of an object. */
  public ObjectNode read(ResourceType.Scale scale, ObjectNode tree) {
    ObjectNode result = Json.object().put("kind", "Scale").put("apiVersion", "autoscaling/v1");
    ObjectNode meta = result.putObject("metadata");
    for (String field :
        List.of("name", "namespace", "uid", "resourceVersion", "creationTimestamp")) {
      Json.carry(Json.ensure(tree, "metadata"), meta, field);
    }
    ObjectNode spec = result.putObject("spec");
    int replicas = number(tree, scale.spec());
    if (replicas != 0) { // as Go leaves it out
      spec.put("replicas", replicas);
    }
    ObjectNode status = result.putObject("status").put("replicas", number(tree, scale.status()));
    JsonNode selector = at(tree, scale.selector());
    String text =
        selector == null ? "" : selector.isTextual() ? selector.textValue() : print(selector);
    if (!text.isEmpty()) {
      status.put("selector", text);
    }
    return result;
  }

  /** Writes the wanted number of a scale into its object; returns the new scale. */
  public ObjectNode write(
      ServedResource resource,
      ResourceType.Scale scale,
      StoredObject object,
      ObjectNode wanted,
      WriteOptions options) {
    validate(resource, wanted, object.name());
    review(resource, object, wanted, read(scale, options.tree(resource, object)), options);
    ObjectNode tree = options.tree(resource, object);
    String[] path = scale.spec().split("\\.", -1);
    ObjectNode holder = tree;
    for (int i = 0; i < path.length - 1; i++) {
      holder = Json.ensure(holder, path[i]);
    }
    holder.put(path[path.length - 1], wanted.path("spec").path("replicas").asInt());
    String version = Json.text(wanted.get("metadata"), "resourceVersion");
    if (!version.isEmpty()) {
      Json.ensure(tree, "metadata").put("resourceVersion", version);
    }
    StoredObject updated =
        updates.write(
            new Target(resource, object.namespace(), object.name(), ""),
            object,
            tree,
            options.unreviewed(),
            Updates.Origin.PATCH);
    return read(scale, updated.bareTree());
  }

  /** Has webhooks change and check the wanted scale, in place. */
  private static void review(
      ServedResource resource,
      StoredObject object,
      ObjectNode wanted,
      ObjectNode old,
      WriteOptions options) {
    Target at = new Target(resource, object.namespace(), object.name(), "scale");
    ObjectNode kind = Json.object().put("kind", "PatchOptions").put("apiVersion", "meta.k8s.io/v1");
    AdmissionRequest request =
        new AdmissionRequest(
            AdmissionCheck.place(at),
            AdmissionRequest.Operation.UPDATE,
            wanted,
            old,
            options.dryRun(),
            kind,
            UnaryOperator.identity());
    ObjectNode mutated = options.admission().mutate(request);
    if (mutated != null) {
      validate(resource, mutated, object.name());
      wanted.removeAll();
      wanted.setAll(mutated);
    }
    options.admission().validate(request.with(wanted.deepCopy()));
  }

  private static void validate(ServedResource resource, ObjectNode wanted, String name) {
    String kind = Json.text(wanted, "kind");
    String apiVersion = Json.text(wanted, "apiVersion");
    if (!kind.isEmpty() && !kind.equals("Scale")) {
      throw ApiException.badRequest(
          "%s in version \"%s\" cannot be handled as a Scale: no kind \"%1$s\" is registered for version \"%s\" for this resource"
              .formatted(kind, apiVersion.substring(apiVersion.indexOf('/') + 1), apiVersion));
    }
    Decoder decoder = new Decoder("Scale");
    try {
      decoder.decode(wanted, TypeTable.type("Scale"));
    } catch (Decoder.DecodeException e) {
      throw ApiException.badRequest(
          "Scale in version \"v1\" cannot be handled as a Scale: " + e.getMessage());
    }
    String given = Json.text(wanted.get("metadata"), "name");
    if (!given.equals(name)) {
      throw ApiException.badRequest(
          given.isEmpty()
              ? "the name of the object ("
                  + name
                  + " based on URL) was undeterminable: name must be provided"
              : "the name of the object ("
                  + given
                  + ") does not match the name on the URL ("
                  + name
                  + ")");
    }
    if (!resource.type().custom()) { // the others are checked with their object
      Causes causes = new Causes();
      causes.of(wanted).at("spec", "replicas").nonNegative();
      causes.throwIfAny(new ApiException.Names("autoscaling", "Scale"), name);
    }
  }

  /** Applies a patch to a scale. */
  public static ObjectNode patched(ObjectNode scale, Patches.Kind kind, JsonNode patch) {
    ObjectNode result = scale;
    if (kind == Patches.Kind.JSON) {
      result = JsonPatch.apply(scale, patch);
    } else if (patch instanceof ObjectNode object) {
      MergePatch.apply(scale, object);
    } else {
      throw ApiException.badRequest("error decoding patch: not an object");
    }
    try {
      new Decoder("Scale").decode(result, TypeTable.type("Scale"));
    } catch (Decoder.DecodeException e) {
      throw Decoding.rejected(result, String.valueOf(e.getMessage()));
    }
    return result;
  }

  /** Adds what is wrong with the numbers and the selector of a custom resource that has a scale. */
  static void check(ResourceType.Scale scale, ObjectNode object, Causes causes) {
    for (String path : List.of(scale.spec(), scale.status())) {
      JsonNode found = at(object, path);
      Field field = causes.at("." + path);
      if (found == null || found.isMissingNode()) {
        continue;
      }
      if (!found.isIntegralNumber()) {
        field.invalid("0", notOfType(path, found, "int64"));
      } else if (found.asLong() < 0) {
        field.invalid(found.toString(), "should be a non-negative integer");
      } else if (found.asLong() > Integer.MAX_VALUE) {
        field.invalid(found.toString(), "should be less than or equal to " + Integer.MAX_VALUE);
      }
    }
    JsonNode selector = at(object, scale.selector());
    if (selector != null && !selector.isMissingNode() && !selector.isTextual()) {
      causes
          .at("." + scale.selector())
          .invalid(Cause.quote(""), notOfType(scale.selector(), selector, "string"));
    }
  }

  private static String notOfType(String path, JsonNode found, String type) {
    return ".%s accessor error: %s is of the type %s, expected %s"
        .formatted(path, found, Json.goType(found), type);
  }

  private static @Nullable JsonNode at(ObjectNode tree, String path) {
    return path.isEmpty() ? null : Json.at(tree, path.split("\\.", -1));
  }

  private static int number(ObjectNode tree, String path) {
    JsonNode found = at(tree, path);
    return found == null ? 0 : found.asInt();
  }

  private static String print(JsonNode selector) {
    Map<String, String> labels = new TreeMap<>();
    selector
        .path("matchLabels")
        .properties()
        .forEach(e -> labels.put(e.getKey(), e.getValue().asText()));
    List<String> parts = new ArrayList<>();
    labels.forEach((k, v) -> parts.add(k + "=" + v));
    return String.join(",", parts);
  }
}
