// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.operation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.json.JsonBody;
import dev.coxswain.apiserver.internal.resource.ResourceType;
import dev.coxswain.apiserver.internal.resource.ServedResource;
import dev.coxswain.apiserver.internal.schema.Decoder;
import dev.coxswain.apiserver.internal.schema.Defaults;
import dev.coxswain.apiserver.internal.schema.Schema;
import dev.coxswain.apiserver.internal.status.ApiException;
import dev.coxswain.apiserver.internal.status.Causes;
import java.util.ArrayList;
import java.util.List;

/** From a body to an object of the requested resource; any thread. */
final class Decoding {
  private Decoding() {}

  /** Decodes the body of a create or update; throws a 400 when it is not such an object. */
  static ObjectNode decode(ServedResource resource, JsonBody body, WriteOptions options) {
    ObjectNode object = typed(resource, body.tree(), options);
    List<String> problems;
    try {
      problems = normalize(resource, object, body.duplicates());
    } catch (Decoder.DecodeException e) {
      throw cannot(
          resource, resource.type().kind(), resource.apiVersion(), String.valueOf(e.getMessage()));
    }
    if (!problems.isEmpty() && options.validation().equals("Strict")) {
      throw cannot(
          resource,
          resource.type().kind(),
          resource.apiVersion(),
          "strict decoding error: " + join(problems));
    }
    warn(problems, options);
    return object;
  }

  /**
   * Decodes the result of a patch; problems of the patch are a 422 here.
   *
   * @param duplicates the messages for duplicate keys of the patch
   */
  static void decodePatched(
      ServedResource resource, ObjectNode object, List<String> duplicates, WriteOptions options) {
    List<String> problems;
    try {
      problems = normalize(resource, object, List.of());
    } catch (Decoder.DecodeException e) {
      throw rejected(object, String.valueOf(e.getMessage()));
    }
    problems.addAll(0, duplicates);
    if (!problems.isEmpty() && options.validation().equals("Strict")) {
      throw rejected(object, "strict decoding error: " + join(problems));
    }
    warn(problems, options);
  }

  /** Decodes an object that a webhook has changed; what is unknown is dropped. */
  static void decodeMutated(ServedResource resource, ObjectNode object) {
    try {
      normalize(resource, object, List.of());
    } catch (Decoder.DecodeException e) {
      throw ApiException.internal(String.valueOf(e.getMessage()));
    }
  }

  static ApiException rejected(JsonNode patch, String why) {
    String shown = patch.toString();
    return ApiException.invalid(
        new ApiException.Names("", ""),
        "",
        new Causes()
            .at("patch", shown.length() > 1000 ? shown.substring(0, 1000) : shown)
            .invalidText(why));
  }

  private static void warn(List<String> problems, WriteOptions options) {
    if (options.validation().equals("Warn")) {
      options.warnings().addAll(problems);
    }
  }

  /** Throws a 422 for a custom resource that has another kind or version than the resource. */
  static void checkType(ServedResource resource, ObjectNode object) {
    String kind = Json.text(object, "kind");
    String version = Json.text(object, "apiVersion");
    Causes causes = new Causes();
    if (!kind.isEmpty() && !kind.equals(resource.type().kind())) {
      causes.at("kind", kind).invalidText("must be " + resource.type().kind());
    }
    if (!version.isEmpty() && !version.equals(resource.apiVersion())) {
      causes.at("apiVersion", version).invalidText("must be " + resource.apiVersion());
    }
    causes.throwIfAny(
        new ApiException.Names(resource.type().group(), kind),
        Json.text(object.get("metadata"), "name"));
  }

  /** Throws a 400 for another version; what that version does not have is a warning before. */
  private static void unserved(
      ServedResource resource, ObjectNode object, String apiVersion, WriteOptions options) {
    List<String> problems = new ArrayList<>();
    Schema schema =
        resource.type().versions().stream()
            .filter(version -> resource.type().apiVersion(version).equals(apiVersion))
            .map(ResourceType.Version::schema)
            .findFirst()
            .orElse(null);
    String group = resource.type().group() + "/";
    if (schema == null && apiVersion.startsWith(group)) {
      object.fieldNames().forEachRemaining(problems::add);
      problems.removeAll(List.of("apiVersion", "kind", "metadata"));
    } else if (schema != null) {
      Decoder decoder = new Decoder(resource.type().kind());
      decoder.decode(object, schema);
      problems.addAll(decoder.unknown());
    }
    problems.replaceAll(path -> "unknown field \"" + path + "\"");
    if (!problems.isEmpty() && options.validation().equals("Strict")) {
      throw cannot(
          resource, resource.type().kind(), apiVersion, "strict decoding error: " + join(problems));
    }
    warn(problems, options);
    throw ApiException.badRequest(
        "the API version in the data (%s) does not match the expected API version (%s)"
            .formatted(apiVersion, resource.apiVersion()));
  }

  private static ObjectNode typed(ServedResource resource, JsonNode tree, WriteOptions options) {
    ResourceType type = resource.type();
    if (!(tree instanceof ObjectNode object)) {
      throw cannot(
          resource, type.kind(), resource.apiVersion(), "json: cannot unmarshal into Go value");
    }
    String kind = Json.text(object, "kind");
    String apiVersion = Json.text(object, "apiVersion");
    if (type.custom() && kind.isEmpty()) {
      throw ApiException.badRequest(
          "the object provided is unrecognized (must be of type %s): Object 'Kind' is missing in '%s'"
              .formatted(type.kind(), abbreviated(object)));
    }
    boolean wrongKind = !kind.isEmpty() && !kind.equals(type.kind());
    boolean wrongVersion =
        !apiVersion.equals(resource.apiVersion()) && (type.custom() || !apiVersion.isEmpty());
    if (type.custom() && wrongVersion) {
      unserved(resource, object, apiVersion, options);
    }
    if (type.custom() && wrongKind) {
      return object; // a fault that comes after others, see checkType
    }
    if (wrongKind || wrongVersion) {
      throw cannot(
          resource,
          kind.isEmpty() ? type.kind() : kind,
          apiVersion.isEmpty() ? resource.apiVersion() : apiVersion,
          "no kind \"%s\" is registered for version \"%s\" for this resource"
              .formatted(kind, apiVersion));
    }
    object.put("kind", type.kind()).put("apiVersion", resource.apiVersion());
    return object;
  }

  /**
   * Drops unknown fields and fills in the defaults of a schema; returns what is worth a warning.
   */
  private static List<String> normalize(
      ServedResource resource, ObjectNode object, List<String> duplicates) {
    ResourceType type = resource.type();
    Decoder decoder = new Decoder(type.kind());
    decoder.decode(object, resource.version().schema());
    if (type.custom()) {
      Defaults.apply(object, resource.version().schema());
    }
    List<String> problems = new ArrayList<>();
    duplicates.forEach(path -> problems.add("duplicate field \"" + path + "\""));
    decoder.unknown().forEach(path -> problems.add("unknown field \"" + path + "\""));
    return problems;
  }

  private static ApiException cannot(
      ServedResource resource, String kind, String apiVersion, String why) {
    String version = apiVersion.substring(apiVersion.indexOf('/') + 1);
    return ApiException.badRequest(
        "%s in version \"%s\" cannot be handled as a %s: %s"
            .formatted(kind, version, resource.type().kind(), why));
  }

  private static String abbreviated(ObjectNode object) {
    String text = object.toString();
    return text.length() > 200 ? text.substring(0, 200) : text;
  }

  private static String join(List<String> problems) {
    return String.join(", ", problems);
  }
}
