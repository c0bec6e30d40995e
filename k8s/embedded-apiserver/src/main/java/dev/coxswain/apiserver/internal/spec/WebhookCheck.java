// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.spec;

import dev.coxswain.apiserver.internal.cel.CelCondition;
import dev.coxswain.apiserver.internal.cel.CelException;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.status.Cause;
import dev.coxswain.apiserver.internal.status.Field;
import dev.coxswain.apiserver.internal.status.Names;
import java.net.URI;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** Rules of the configurations of webhooks; any thread. */
public final class WebhookCheck {
  private static final int MAX_CONDITIONS = 64;
  private static final int MAX_PORT = 65535;

  private WebhookCheck() {}

  /** Checks a configuration of admission webhooks. */
  public static void configuration(Field configuration) {
    Set<String> names = new HashSet<>();
    for (Field webhook : configuration.at("webhooks")) {
      one(webhook);
      webhook.at("name").unique(names);
    }
  }

  private static void one(Field webhook) {
    Field name = webhook.at("name");
    name.subdomain();
    if (name.text().split("\\.", -1).length < 3) {
      name.invalidText("should be a domain with at least three segments separated by dots");
    }
    reviewVersions(webhook.at("admissionReviewVersions"));
    webhook.at("rules").forEach(WebhookCheck::rule);
    webhook.at("failurePolicy").oneOf("Fail", "Ignore");
    webhook.at("matchPolicy").oneOf("Equivalent", "Exact");
    Field effects = webhook.at("sideEffects");
    if (effects.given()) {
      effects.oneOf("None", "NoneOnDryRun");
    } else {
      effects.missing("must specify one of None, NoneOnDryRun");
    }
    webhook.at("timeoutSeconds").range(1, 30, "the timeout value must be between 1 and 30 seconds");
    webhook.at("namespaceSelector").selector();
    webhook.at("objectSelector").selector();
    client(webhook.at("clientConfig"));
    webhook.at("reinvocationPolicy").unlessEmpty(p -> p.oneOf("Never", "IfNeeded"));
    conditions(webhook.at("matchConditions"));
  }

  /** The embedded API server sends version v1 only; the real one sends v1beta1 as well. */
  public static void reviewVersions(Field versions) {
    if (versions.isEmpty()) {
      versions.missing("must specify one of v1, v1beta1");
      return;
    }
    Set<String> seen = new HashSet<>();
    for (Field version : versions) {
      List<String> wrong = Names.label1035(version.text());
      if (!wrong.isEmpty()) {
        version.invalidText(String.join(",", wrong));
      } else if (!seen.add(version.text())) {
        version.invalidText("duplicate version");
      }
    }
    if (!seen.contains("v1")) {
      versions.invalid(
          versions.value().toString(),
          seen.contains("v1beta1")
              ? "must include v1, the only version that the embedded API server sends"
              : "must include at least one of v1, v1beta1");
    }
  }

  private static void rule(Field rule) {
    Field operations = rule.at("operations");
    if (operations.required()) {
      alone(operations);
      operations.forEach(o -> o.oneOf("CREATE", "UPDATE", "DELETE", "CONNECT", "*"));
    }
    for (Field list : rule.each("apiGroups", "apiVersions")) {
      if (list.required()) {
        alone(list);
      }
    }
    for (Field version : rule.at("apiVersions")) {
      version.required();
    }
    rule.at("resources").required();
    rule.at("scope").oneOf("*", "Cluster", "Namespaced");
  }

  /** A star makes all other entries useless. */
  private static void alone(Field list) {
    if (list.value().size() > 1 && Json.texts(list.value()).contains("*")) {
      list.invalid(list.value().toString(), "if '*' is present, must not specify other values");
    }
  }

  /** Checks where a webhook is. */
  public static void client(Field client) {
    Field url = client.at("url");
    Field service = client.at("service");
    if (url.given() == service.given()) {
      client.missing("exactly one of url or service is required");
    } else if (url.given()) {
      url(url);
    } else {
      service.at("name").required();
      service.at("namespace").required();
      if (service.at("port").given()) {
        service
            .at("port")
            .range(1, MAX_PORT, "port is not valid: must be between 1 and 65535, inclusive");
      }
      path(service.at("path"));
    }
  }

  private static void path(Field path) {
    String text = path.text();
    if (text.isEmpty() || text.equals("/")) {
      return;
    }
    if (!text.startsWith("/")) {
      path.invalidText("must start with a '/'");
    }
    String[] steps = text.substring(1).replaceFirst("/$", "").split("/", -1);
    for (int i = 0; i < steps.length; i++) {
      String segment = "segment[" + i + "]";
      if (steps[i].isEmpty()) {
        path.invalidText(segment + " may not be empty");
      } else {
        Names.subdomain(steps[i]).forEach(wrong -> path.invalidText(segment + ": " + wrong));
      }
    }
  }

  private static void url(Field url) {
    String form = "; desired format: https://host[/path]";
    URI parsed;
    try {
      parsed = URI.create(url.text());
    } catch (IllegalArgumentException e) {
      url.invalidText("url must be a valid URL: " + e.getMessage() + form);
      return;
    }
    if (!"https".equals(parsed.getScheme())) {
      url.invalid(
          Cause.quote(String.valueOf(parsed.getScheme())),
          "'https' is the only allowed URL scheme" + form);
    }
    if (parsed.getHost() == null) {
      url.invalid("\"\"", "host must be specified" + form);
    }
    if (parsed.getUserInfo() != null) {
      url.invalid(
          Cause.quote(parsed.getUserInfo()), "user information is not permitted in the URL");
    }
    if (parsed.getFragment() != null) {
      url.invalid(Cause.quote(parsed.getFragment()), "fragments are not permitted in the URL");
    }
    if (parsed.getQuery() != null) {
      url.invalid(Cause.quote(parsed.getQuery()), "query parameters are not permitted in the URL");
    }
  }

  private static void conditions(Field conditions) {
    if (conditions.value().size() > MAX_CONDITIONS) {
      conditions.invalidText("must have at most 64 items");
    }
    Set<String> names = new HashSet<>();
    for (Field condition : conditions) {
      if (condition.at("name").required()) {
        condition.at("name").qualified();
        condition.at("name").unique(names);
      }
      Field expression = condition.at("expression");
      if (!expression.required()) {
        continue;
      }
      try {
        Objects.requireNonNull(CelCondition.compile(expression.text()));
      } catch (CelException e) {
        expression.invalidText(String.valueOf(e.getMessage()));
      }
    }
  }
}
