// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.kind;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.spec.WebhookCheck;
import dev.coxswain.apiserver.internal.status.Field;
import dev.coxswain.apiserver.internal.status.Names;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Custom resource definitions: names, versions and schemas that can be served; any thread. */
final class DefinitionRules implements KindRules {
  private static final String APPROVAL = "api-approved.kubernetes.io";
  private static final List<String> COLUMN_TYPES =
      List.of("boolean", "date", "integer", "number", "string");
  private static final List<String> COLUMN_FORMATS =
      List.of("byte", "date", "date-time", "double", "float", "int32", "int64", "password");

  @Override
  public void defaults(ObjectNode definition) {
    ObjectNode spec = Json.ensure(definition, "spec");
    ObjectNode names = Json.ensure(spec, "names");
    String kind = Json.text(names, "kind");
    if (!kind.isEmpty()) {
      Json.putDefault(names, "singular", kind.toLowerCase(Locale.ROOT));
      Json.putDefault(names, "listKind", kind + "List");
    }
    Json.putDefault(Json.ensure(spec, "conversion"), "strategy", "None");
  }

  @Override
  public void validate(@Nullable ObjectNode old, Field definition) {
    Field spec = definition.at("spec");
    Field names = spec.at("names");
    Field name = definition.at("metadata", "name");
    if (!name.text().equals(names.text("plural") + "." + spec.text("group"))) {
      name.invalidText("must be spec.names.plural+\".\"+spec.group");
    }
    group(definition, spec.at("group"));
    Field scope = spec.at("scope");
    if (scope.required()) {
      scope.oneOf("Cluster", "Namespaced");
    }
    Field preserve = spec.at("preserveUnknownFields");
    versions(definition, spec.at("versions"));
    names(names);
    schemas(spec.at("versions"));
    conversion(spec.at("conversion"), preserve.isTrue());
    if (preserve.isTrue()) {
      preserve.invalid(
          "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead");
    }
    if (old != null) {
      immutable(old, spec);
      stored(old, spec.at("versions"));
    }
  }

  private static void conversion(Field conversion, boolean preserve) {
    Field strategy = conversion.at("strategy");
    strategy.oneOf("None", "Webhook");
    Field webhook = conversion.at("webhook");
    Field client = webhook.at("clientConfig").as("spec.conversion.webhookClientConfig");
    Field versions =
        webhook.at("conversionReviewVersions").as("spec.conversion.conversionReviewVersions");
    if (!strategy.text().equals("Webhook")) {
      String why = "should not be set when strategy is not set to Webhook";
      if (client.given()) {
        client.forbidden(why);
      }
      versions.unlessEmpty(v -> v.forbidden(why));
      return;
    }
    if (preserve) {
      strategy.invalidText("must be None if spec.preserveUnknownFields is true");
    }
    if (client.given()) {
      WebhookCheck.client(client);
    } else {
      client.missing("required when strategy is set to Webhook");
    }
    if (versions.isEmpty()) {
      versions.missing();
    } else {
      WebhookCheck.reviewVersions(versions);
    }
  }

  private static void group(Field definition, Field group) {
    if (group.required()
        && !joined(group, "", Names.subdomain(group.text()))
        && !group.text().contains(".")) {
      group.invalidText("should be a domain with at least one dot");
    }
    boolean ours = (group.text() + "/").matches("(.*\\.)?(k8s|kubernetes)\\.io/");
    Field approval = definition.at("metadata", "annotations").key(APPROVAL);
    if (ours && !approval.given()) {
      approval.missing(
          "protected groups must have approval annotation \""
              + APPROVAL
              + "\", see https://github.com/kubernetes/enhancements/pull/1111");
    }
  }

  /** Adds one cause for all problems; true when there are some. */
  private static boolean joined(Field field, String lead, List<String> problems) {
    if (!problems.isEmpty()) {
      field.invalidText(lead + String.join(",", problems));
    }
    return !problems.isEmpty();
  }

  private static void label(Field name) {
    joined(name, "", Names.label1035(name.text()));
  }

  private static void immutable(ObjectNode old, Field spec) {
    JsonNode before = old.path("spec");
    boolean established = false;
    for (JsonNode condition : old.path("status").path("conditions")) {
      established |=
          Json.text(condition, "type").equals("Established")
              && Json.text(condition, "status").equals("True");
    }
    if (established) {
      same(before, spec.at("scope"), "scope");
      same(before.path("names"), spec.at("names", "kind"), "kind");
    }
    same(before, spec.at("group"), "group");
    same(before.path("names"), spec.at("names", "plural"), "plural");
  }

  private static void same(JsonNode before, Field now, String name) {
    if (!Json.text(before, name).equals(now.text())) {
      now.invalidText("field is immutable");
    }
  }

  /** A version under which objects are stored must not vanish. */
  private static void stored(ObjectNode old, Field versions) {
    Set<String> names = new HashSet<>();
    versions.forEach(v -> names.add(v.text("name")));
    Field before = versions.causes().of(old);
    for (Field stored : before.at("status", "storedVersions")) {
      if (!names.contains(stored.text())) {
        stored.invalidText("must appear in spec.versions");
      }
    }
  }

  /** Prints versions as the real server has them in memory: what is the same in all is elsewhere. */
  private static String hoisted(Field versions) {
    ArrayNode shown = Json.array();
    for (Field version : versions) {
      ObjectNode one = shown.addObject().put("Name", version.text("name"));
      one.put("Served", version.at("served").isTrue());
      one.put("Storage", version.at("storage").isTrue());
      one.put("Deprecated", version.at("deprecated").isTrue());
      one.set("DeprecationWarning", version.value().get("deprecationWarning"));
      for (String section :
          List.of("schema", "subresources", "additionalPrinterColumns", "selectableFields")) {
        JsonNode value = version.value().get(section);
        boolean same = true;
        for (Field other : versions) {
          same &= Objects.equals(value, other.value().get(section));
        }
        String name = section.substring(0, 1).toUpperCase(Locale.ROOT) + section.substring(1);
        one.set(name, same ? null : value);
      }
    }
    return shown.toString();
  }

  private static void versions(Field definition, Field versions) {
    int storage = 0;
    Set<String> seen = new HashSet<>();
    boolean unique = true;
    for (Field version : versions) {
      storage += version.at("storage").isTrue() ? 1 : 0;
      unique &= seen.add(version.text("name"));
      label(version.at("name"));
    }
    if (!unique) {
      versions.invalid("must contain unique version names");
    }
    if (storage != 1) {
      versions.invalid(
          hoisted(versions), "must have exactly one version marked as storage version");
    }
    if (storage == 0) {
      definition
          .at("status", "storedVersions")
          .invalid("null", "must have at least one stored version");
    }
  }

  private static void names(Field names) {
    names.each("plural", "singular", "kind", "listKind").forEach(Field::required);
    for (Field name : names.each("plural", "singular")) {
      name.unlessEmpty(DefinitionRules::label);
    }
    for (Field kind : names.each("kind", "listKind")) {
      kind.unlessEmpty(k ->
          joined(
              k,
              "may have mixed case, but should otherwise match: ",
              Names.label1035(k.text().toLowerCase(Locale.ROOT))));
    }
    for (Field list : names.each("shortNames", "categories")) {
      list.forEach(name -> name.unlessEmpty(DefinitionRules::label));
    }
    Field listKind = names.at("listKind");
    if (!listKind.isEmpty() && listKind.text().equals(names.text("kind"))) {
      listKind.invalidText("kind and listKind may not be the same");
    }
  }

  /** A field that all versions share is named as if it stood above them, as by the real server. */
  private static Field part(Field versions, Field version, String name) {
    Field part = version.at(name);
    String shared = "spec." + (name.equals("schema") ? "validation" : name);
    boolean same = versions.value().valueStream().allMatch(v -> v.path(name).equals(part.value()));
    return same ? part.as(shared) : part;
  }

  private static void schemas(Field versions) {
    Set<String> done = new HashSet<>();
    for (Field version : versions) {
      Field schema = part(versions, version, "schema").at("openAPIV3Schema");
      if (!schema.value().isObject()) {
        version.at("schema", "openAPIV3Schema").missing();
      } else if (done.add(schema.path())) {
        SchemaForm.check(schema);
      }
      Field subresources = part(versions, version, "subresources");
      if (done.add(subresources.path()) && subresources.at("scale").given()) {
        scale(subresources.at("scale"));
      }
      Field columns = part(versions, version, "additionalPrinterColumns");
      if (done.add(columns.path())) {
        columns.forEach(DefinitionRules::column);
      }
    }
  }

  private static void scale(Field scale) {
    for (Field path : scale.each("specReplicasPath", "statusReplicasPath")) {
      if (path.required()) {
        simplePath(path, path.path().endsWith("specReplicasPath") ? ".spec" : ".status");
      }
    }
    Field selector = scale.at("labelSelectorPath");
    if (!selector.isEmpty() && !selector.text().startsWith(".spec.")) {
      simplePath(selector, ".status");
    }
  }

  private static void simplePath(Field path, String below) {
    if (!path.text().startsWith(".")) {
      path.invalidText("must be a simple json path starting with .");
    } else if (!path.text().startsWith(below + ".") && !below.isEmpty()) {
      path.invalidText("should be a json path under " + below);
    }
  }

  private static void column(Field column) {
    column.at("name").required();
    Field type = column.at("type");
    String types = "must be one of " + String.join(",", COLUMN_TYPES);
    if (type.isEmpty()) {
      type.missing(types);
    } else if (!COLUMN_TYPES.contains(type.text())) {
      type.invalidText(types);
    }
    Field format = column.at("format");
    if (!format.isEmpty() && !COLUMN_FORMATS.contains(format.text())) {
      format.invalidText("must be one of " + String.join(",", COLUMN_FORMATS));
    }
    if (column.at("jsonPath").required()) {
      simplePath(column.at("jsonPath"), "");
    }
  }
}
