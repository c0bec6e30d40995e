// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.access;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.resource.ResourceType;
import dev.coxswain.apiserver.internal.schema.Decoder;
import dev.coxswain.apiserver.internal.status.ApiException;
import dev.coxswain.apiserver.internal.status.Cause;
import dev.coxswain.apiserver.internal.status.Causes;
import java.util.List;

/** Answers the review resources; confined to the server's event loop. */
public final class Reviews {
  private final Access access;

  public Reviews(Access access) {
    this.access = access;
  }

  /** Returns the review with its status filled in. */
  public ObjectNode answer(Access.User user, ResourceType type, String namespace, JsonNode body) {
    if (!(body instanceof ObjectNode review)) {
      throw ApiException.badRequest("the body of a review must be an object");
    }
    ReviewCheck.check(type, namespace, review);
    Json.ensure(review, "metadata");
    JsonNode spec = review.path("spec");
    switch (type.kind()) {
      case "SelfSubjectAccessReview" -> allowed(review, user, spec, "");
      case "SubjectAccessReview" -> allowed(review, subject(spec), spec, "");
      case "LocalSubjectAccessReview" -> allowed(review, subject(spec), spec, namespace);
      case "SelfSubjectReview" -> user(review.putObject("status").putObject("userInfo"), user);
      case "SelfSubjectRulesReview" -> rules(review, user, Json.text(spec, "namespace"));
      case "TokenReview" -> token(review, spec);
      default -> throw ApiException.methodNotAllowed();
    }
    return review;
  }

  private static Access.User subject(JsonNode spec) {
    List<String> groups = Json.texts(spec.path("groups"));
    return new Access.User(Json.text(spec, "user"), groups);
  }

  private void allowed(ObjectNode review, Access.User user, JsonNode spec, String namespace) {
    JsonNode r = spec.path("resourceAttributes");
    JsonNode path = spec.path("nonResourceAttributes");
    Access.Attributes wanted =
        path.isObject()
            ? new Access.Attributes(
                Json.text(path, "verb"), "", "", "", "", "", Json.text(path, "path"))
            : new Access.Attributes(
                Json.text(r, "verb"),
                Json.text(r, "group"),
                Json.text(r, "resource"),
                Json.text(r, "subresource"),
                namespace.isEmpty() ? Json.text(r, "namespace") : namespace,
                Json.text(r, "name"),
                "");
    review.putObject("status").put("allowed", access.allowed(user, wanted));
  }

  private void rules(ObjectNode review, Access.User user, String namespace) {
    if (namespace.isEmpty()) {
      throw ApiException.badRequest("no namespace on request");
    }
    ObjectNode status = review.putObject("status");
    ArrayNode resources = status.putArray("resourceRules");
    ArrayNode paths = status.putArray("nonResourceRules");
    for (JsonNode rule : access.rules(user, namespace)) {
      boolean resource = !rule.path("resources").isEmpty();
      ObjectNode shown = resource ? resources.addObject() : paths.addObject();
      List<String> fields =
          resource
              ? List.of("verbs", "apiGroups", "resources", "resourceNames")
              : List.of("verbs", "nonResourceURLs");
      for (String field : fields) {
        if (rule.has(field)) {
          shown.set(field, rule.get(field));
        }
      }
    }
    status.put("incomplete", false);
  }

  private void token(ObjectNode review, JsonNode spec) {
    List<String> audiences = Json.texts(spec.path("audiences"));
    Access.Bearer bearer = access.token(Json.text(spec, "token"), audiences);
    ObjectNode status = review.putObject("status");
    if (bearer == null) {
      status.putObject("user");
      status.put("error", "[invalid bearer token, token lookup failed]");
    } else {
      status.put("authenticated", true);
      user(status.putObject("user"), bearer.user());
      bearer.audiences().forEach(status.putArray("audiences")::add);
    }
  }

  private static void user(ObjectNode node, Access.User user) {
    node.put("username", user.name());
    ArrayNode groups = node.putArray("groups");
    user.groups().forEach(groups::add);
    if (!user.uid().isEmpty()) {
      node.put("uid", user.uid());
    }
    user.extra()
        .forEach(each ->
            node.withObjectProperty("extra").withArrayProperty(each.getKey()).add(each.getValue()));
  }

  /** The validation of bodies of review resources; any thread. */
  private static final class ReviewCheck {
    private ReviewCheck() {}

    /** Decodes and checks a review; throws a 400 or 422. */
    static void check(ResourceType type, String namespace, ObjectNode review) {
      decode(type, review);
      Causes causes = new Causes();
      JsonNode spec = review.path("spec");
      boolean local = type.kind().equals("LocalSubjectAccessReview");
      boolean subject = local || type.kind().equals("SubjectAccessReview");
      if (subject || type.kind().equals("SelfSubjectAccessReview")) {
        access(spec, subject, causes);
        metadata(review.path("metadata"), local, causes);
      }
      if (local) {
        String wanted = Json.text(spec.path("resourceAttributes"), "namespace");
        if (spec.has("resourceAttributes") && !wanted.equals(namespace)) {
          causes
              .at("spec.resourceAttributes.namespace", wanted)
              .invalidText("must match metadata.namespace");
        }
        if (spec.has("nonResourceAttributes")) {
          causes
              .at("spec.nonResourceAttributes")
              .invalid(
                  attributes(spec.path("nonResourceAttributes")),
                  "disallowed on this kind of request");
        }
      }
      causes.throwIfAny(new ApiException.Names(type.group(), ""), "");
      if (type.kind().equals("TokenReview") && Json.text(spec, "token").isEmpty()) {
        throw ApiException.badRequest("token is required for TokenReview in authentication");
      }
    }

    private static void decode(ResourceType type, ObjectNode review) {
      ResourceType.Version version = type.versions().getFirst();
      String kind = Json.text(review, "kind");
      String given = Json.text(review, "apiVersion");
      boolean other = !kind.isEmpty() && !kind.equals(type.kind());
      String head =
          (other ? kind : type.kind())
              + " in version \""
              + (given.isEmpty() ? version.name() : given.substring(given.indexOf('/') + 1))
              + "\" cannot be handled as a "
              + type.kind()
              + ": ";
      if (other || (!given.isEmpty() && !given.equals(type.apiVersion(version)))) {
        throw ApiException.badRequest(
            "%sno kind \"%s\" is registered for version \"%s\" for this resource"
                .formatted(head, kind, given));
      }
      try {
        new Decoder(type.kind()).decode(review, version.schema());
      } catch (Decoder.DecodeException e) {
        throw ApiException.badRequest(head + e.getMessage());
      }
      review.put("kind", type.kind()).put("apiVersion", type.apiVersion(version));
    }

    private static void access(JsonNode spec, boolean subject, Causes causes) {
      JsonNode path = spec.path("nonResourceAttributes");
      boolean resource = spec.has("resourceAttributes");
      if (resource && path.isObject()) {
        causes
            .at("spec.nonResourceAttributes")
            .invalid(
                attributes(path), "cannot be specified in combination with resourceAttributes");
      }
      if (!resource && !path.isObject()) {
        causes
            .at("spec.resourceAttributes")
            .invalid(
                "null",
                "exactly one of nonResourceAttributes or resourceAttributes must be specified");
      }
      if (subject && Json.text(spec, "user").isEmpty() && spec.path("groups").isEmpty()) {
        causes.at("spec.user", "").invalidText("at least one of user or group must be specified");
      }
    }

    private static String attributes(JsonNode path) {
      return "{\"Path\":%s,\"Verb\":%s}"
          .formatted(Cause.quote(Json.text(path, "path")), Cause.quote(Json.text(path, "verb")));
    }

    private static void metadata(JsonNode meta, boolean local, Causes causes) {
      ObjectNode rest = Json.object();
      meta.properties().forEach(e -> rest.set(e.getKey(), e.getValue()));
      rest.remove(List.of("creationTimestamp", "managedFields"));
      if (local) {
        rest.remove("namespace");
      }
      if (!rest.isEmpty()) {
        causes
            .at("metadata")
            .invalid(
                rest.toString(), local ? "must be empty except for namespace" : "must be empty");
      }
    }
  }
}
