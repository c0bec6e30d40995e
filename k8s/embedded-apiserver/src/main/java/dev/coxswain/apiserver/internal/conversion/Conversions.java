// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.conversion;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.resource.ResourceType;
import dev.coxswain.apiserver.internal.schema.Decoder;
import dev.coxswain.apiserver.internal.schema.Defaults;
import dev.coxswain.apiserver.internal.webhook.WebhookClient;
import dev.coxswain.apiserver.internal.webhook.WebhookException;
import dev.coxswain.apiserver.internal.webhook.WebhookTarget;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * Calls the conversion webhook of a definition, for a bounded number of objects at once. Confined to
 * the server's event loop.
 */
public final class Conversions {
  private static final String VERSION = "apiextensions.k8s.io/v1";
  private static final String REVIEW = "ConversionReview";
  private static final int SECONDS = 30;
  private static final int MAX_OBJECTS = 100;
  private static final int MAX_BYTES = 1024 * 1024;
  private static final List<String> CONVERTED_METADATA = List.of("labels", "annotations");

  private final WebhookClient client;

  /** Creates the conversions of a server. */
  public Conversions(WebhookClient client) {
    this.client = client;
  }

  /**
   * Converts objects of one version.
   *
   * @param objects objects with kind and apiVersion, which are not changed
   * @param to the wanted version
   * @param list whether the request is about a list, which its failure names
   * @return the converted objects in the same order, or a {@link WebhookException}
   */
  public Future<List<ObjectNode>> convert(
      ResourceType type, List<ObjectNode> objects, ResourceType.Version to, boolean list) {
    return from(0, type, objects, to, list, new ArrayList<>());
  }

  private Future<List<ObjectNode>> from(
      int at,
      ResourceType type,
      List<ObjectNode> objects,
      ResourceType.Version to,
      boolean list,
      List<ObjectNode> done) {
    if (at >= objects.size()) {
      return Future.succeededFuture(done);
    }
    int end = at;
    int bytes = 0;
    while (end < objects.size() && end - at < MAX_OBJECTS && bytes < MAX_BYTES) {
      bytes += Json.bytes(objects.get(end++)).length;
    }
    int next = end;
    return call(type, objects.subList(at, end), to, list)
        .compose(converted -> {
          done.addAll(converted);
          return from(next, type, objects, to, list, done);
        });
  }

  private Future<List<ObjectNode>> call(
      ResourceType type, List<ObjectNode> objects, ResourceType.Version to, boolean list) {
    String kind =
        "%s, Kind=%s"
            .formatted(
                Json.text(objects.getFirst(), "apiVersion"), list ? type.listKind() : type.kind());
    ResourceType.Conversion conversion = type.conversion();
    WebhookTarget target = conversion == null ? null : conversion.webhook();
    if (target == null) {
      return Future.failedFuture(new WebhookException("no conversion webhook for " + kind));
    }
    String wanted = type.apiVersion(to);
    String uid = UUID.randomUUID().toString();
    ObjectNode review = Json.object().put("kind", REVIEW).put("apiVersion", VERSION);
    ArrayNode sent =
        review
            .putObject("request")
            .put("uid", uid)
            .put("desiredAPIVersion", wanted)
            .putArray("objects");
    objects.forEach(sent::add);
    return client
        .post(target, review, SECONDS)
        .map(answer -> converted(answer, uid))
        .recover(e ->
            Future.failedFuture(
                new WebhookException(
                    "conversion webhook for %s failed: %s".formatted(kind, e.getMessage()))))
        .map(converted -> checked(kind, objects, converted, wanted, to));
  }

  private static JsonNode converted(ObjectNode review, String uid) {
    String kind = Json.text(review, "kind");
    String version = Json.text(review, "apiVersion");
    if (!kind.equals(REVIEW) || !version.equals(VERSION)) {
      throw new WebhookException(
          "expected webhook response of %s, Kind=%s, got %s, Kind=%s"
              .formatted(VERSION, REVIEW, version, kind));
    }
    JsonNode response = review.path("response");
    if (!response.isObject()) {
      throw new WebhookException("no response provided");
    }
    String given = Json.text(response, "uid");
    if (!given.equals(uid)) {
      throw new WebhookException("expected response.uid=\"%s\", got \"%s\"".formatted(uid, given));
    }
    String status = Json.text(response.path("result"), "status");
    if (!status.equals("Success")) {
      String message = Json.text(response.path("result"), "message");
      throw new WebhookException(
          message.isEmpty()
              ? "response.result.status was '" + status + "', not 'Success'"
              : message);
    }
    return response.path("convertedObjects");
  }

  private static List<ObjectNode> checked(
      String kind,
      List<ObjectNode> objects,
      JsonNode converted,
      String wanted,
      ResourceType.Version to) {
    if (converted.size() != objects.size()) {
      throw new WebhookException(
          "conversion webhook for %s returned %s objects, expected %s"
              .formatted(kind, converted.size(), objects.size()));
    }
    List<ObjectNode> checked = new ArrayList<>();
    for (int i = 0; i < objects.size(); i++) {
      String lead =
          "conversion webhook for %s returned invalid converted object at index %s: "
              .formatted(kind, i);
      if (!(converted.get(i) instanceof ObjectNode object)) {
        throw new WebhookException(lead + "not an object");
      }
      try {
        checked.add(one(objects.get(i), object, wanted, to));
      } catch (WebhookException | Decoder.DecodeException e) {
        throw new WebhookException(lead + e.getMessage());
      }
    }
    return checked;
  }

  /** A webhook may change everything but the identity; metadata is kept but for labels and annotations. */
  private static ObjectNode one(
      ObjectNode original, ObjectNode object, String wanted, ResourceType.Version to) {
    String version = Json.text(object, "apiVersion");
    if (!version.equals(wanted)) {
      throw new WebhookException(
          "invalid groupVersion (expected %s, received %s)".formatted(wanted, version));
    }
    String kind = Json.text(object, "kind");
    if (!kind.equals(Json.text(original, "kind"))) {
      throw new WebhookException(
          "invalid kind (expected %s, received %s)".formatted(Json.text(original, "kind"), kind));
    }
    JsonNode before = original.path("metadata");
    JsonNode after = object.path("metadata");
    for (String field : List.of("name", "namespace", "uid")) {
      if (!Json.text(before, field).equals(Json.text(after, field))) {
        throw new WebhookException(
            "must have the same %s: %s != %s"
                .formatted(
                    field.equals("uid") ? "UID" : field,
                    Json.text(before, field),
                    Json.text(after, field)));
      }
    }
    ObjectNode meta = Json.object();
    if (before instanceof ObjectNode kept) {
      meta.setAll(kept.deepCopy());
    }
    if (after instanceof ObjectNode given) {
      CONVERTED_METADATA.forEach(field -> Json.carry(given, meta, field));
    }
    object.set("metadata", meta);
    new Decoder(kind).decode(object, to.schema());
    Defaults.apply(object, to.schema());
    return object;
  }
}
