// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.operation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.resource.ResourceType;
import dev.coxswain.apiserver.internal.status.Cause;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Rules of {@code metadata}; any thread. */
final class MetaRules {
  private static final int MAX_ANNOTATIONS = 256 * 1024;
  private static final String SUBDOMAIN =
      "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
  private static final String LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
  private static final String QUALIFIED = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
  private static final String VALUE = "(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?";
  private static final Pattern SUBDOMAIN_PATTERN = Pattern.compile(SUBDOMAIN);
  private static final Pattern LABEL_PATTERN = Pattern.compile(LABEL);
  private static final Pattern QUALIFIED_PATTERN = Pattern.compile(QUALIFIED);
  private static final Pattern VALUE_PATTERN = Pattern.compile(VALUE);

  private MetaRules() {}

  static List<Cause> validate(ResourceType type, ObjectNode object) {
    List<Cause> causes = new ArrayList<>();
    ObjectNode meta = Json.ensure(object, "metadata");
    name(type, Json.text(meta, "name"), causes);
    labels(meta, causes);
    annotations(meta, causes);
    owners(meta, causes);
    for (JsonNode finalizer : meta.path("finalizers")) {
      qualified("metadata.finalizers", finalizer.asText(), causes);
    }
    return causes;
  }

  /**
   * What an update may not do to metadata; every cause occurs twice, as the real server reports it.
   */
  static List<Cause> validateUpdate(ObjectNode old, ObjectNode object, String givenUid) {
    List<Cause> causes = new ArrayList<>();
    ObjectNode oldMeta = Json.ensure(old, "metadata");
    if (!givenUid.isEmpty() && !givenUid.equals(Json.text(oldMeta, "uid"))) {
      causes.add(Cause.invalidText("metadata.uid", givenUid, "field is immutable"));
    }
    if (oldMeta.hasNonNull("deletionTimestamp")) {
      List<String> before = texts(oldMeta.path("finalizers"));
      List<String> added = texts(Json.ensure(object, "metadata").path("finalizers"));
      added.removeAll(before);
      if (!added.isEmpty()) {
        String list = added.stream().sorted().map(Cause::quote).collect(Collectors.joining(", "));
        causes.add(
            Cause.forbidden(
                "metadata.finalizers",
                "no new finalizers can be added if the object is being deleted, found new finalizers []string{"
                    + list
                    + "}"));
      }
    }
    List<Cause> twice = new ArrayList<>(causes);
    twice.addAll(causes);
    return twice;
  }

  private static List<String> texts(JsonNode node) {
    List<String> out = new ArrayList<>();
    node.forEach(item -> out.add(item.asText()));
    return out;
  }

  private static void name(ResourceType type, String name, List<Cause> causes) {
    if (name.isEmpty()) {
      causes.add(Cause.required("metadata.name", "name or generateName is required"));
      return;
    }
    if (type.group().equals("rbac.authorization.k8s.io")) {
      if (name.equals(".") || name.equals("..") || name.contains("/") || name.contains("%")) {
        causes.add(Cause.invalidText("metadata.name", name, "may not contain '/' or '%'"));
      }
      return;
    }
    boolean label = type.is("", "namespaces") || type.is("", "services");
    int limit = label ? 63 : 253;
    if (name.length() > limit) {
      causes.add(
          Cause.invalidText(
              "metadata.name", name, "must be no more than " + limit + " characters"));
    }
    if (label && !LABEL_PATTERN.matcher(name).matches()) {
      causes.add(
          Cause.invalidText(
              "metadata.name",
              name,
              "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and"
                  + " end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '"
                  + LABEL
                  + "')"));
    } else if (!label && !SUBDOMAIN_PATTERN.matcher(name).matches()) {
      causes.add(Cause.invalidText("metadata.name", name, subdomain()));
    }
  }

  private static String subdomain() {
    return "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must"
        + " start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '"
        + SUBDOMAIN
        + "')";
  }

  private static void labels(ObjectNode meta, List<Cause> causes) {
    for (Map.Entry<String, JsonNode> e : meta.path("labels").properties()) {
      qualified("metadata.labels", e.getKey(), causes);
      String value = e.getValue().asText();
      if (value.length() > 63) {
        causes.add(
            Cause.invalidText("metadata.labels", value, "must be no more than 63 characters"));
      }
      if (!VALUE_PATTERN.matcher(value).matches()) {
        causes.add(
            Cause.invalidText(
                "metadata.labels",
                value,
                "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must"
                    + " start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345',"
                    + " regex used for validation is '"
                    + VALUE
                    + "')"));
      }
    }
  }

  private static void annotations(ObjectNode meta, List<Cause> causes) {
    long size = 0;
    for (Map.Entry<String, JsonNode> e : meta.path("annotations").properties()) {
      qualified(
          "metadata.annotations",
          e.getKey().toLowerCase(java.util.Locale.ROOT),
          e.getKey(),
          causes);
      size += e.getKey().length() + (long) e.getValue().asText().length();
    }
    if (size > MAX_ANNOTATIONS) {
      causes.add(Cause.tooLong("metadata.annotations", MAX_ANNOTATIONS));
    }
  }

  private static void qualified(String field, String key, List<Cause> causes) {
    qualified(field, key, key, causes);
  }

  private static void qualified(String field, String key, String shown, List<Cause> causes) {
    int slash = key.indexOf('/');
    String prefix = slash < 0 ? "" : key.substring(0, slash);
    String name = key.substring(slash + 1);
    if (slash >= 0 && !SUBDOMAIN_PATTERN.matcher(prefix).matches()) {
      causes.add(Cause.invalidText(field, shown, "prefix part " + subdomain()));
    }
    if (name.length() > 63) {
      causes.add(Cause.invalidText(field, shown, "name part must be no more than 63 characters"));
    }
    if (!QUALIFIED_PATTERN.matcher(name).matches()) {
      causes.add(
          Cause.invalidText(
              field,
              shown,
              "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an"
                  + " alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is"
                  + " '"
                  + QUALIFIED
                  + "')"));
    }
  }

  private static void owners(ObjectNode meta, List<Cause> causes) {
    int i = 0;
    int controllers = 0;
    for (JsonNode owner : meta.path("ownerReferences")) {
      String path = "metadata.ownerReferences[" + i++ + "].";
      for (String field : List.of("apiVersion", "kind", "name", "uid")) {
        if (Json.text(owner, field).isEmpty()) {
          causes.add(Cause.invalidText(path + field, "", "must not be empty"));
        }
      }
      if (owner.path("controller").asBoolean() && ++controllers == 2) {
        causes.add(
            Cause.invalid(
                "metadata.ownerReferences",
                "[]",
                "Only one reference can have Controller set to true"));
      }
    }
  }
}
