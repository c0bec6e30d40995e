// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.spec;

import dev.coxswain.apiserver.internal.status.Cause;
import dev.coxswain.apiserver.internal.status.Field;
import dev.coxswain.apiserver.internal.status.Names;
import dev.coxswain.apiserver.internal.status.Quantities;
import java.math.BigDecimal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Rules of requests and limits; any thread. */
final class ResourceCheck {
  private static final List<String> NATIVE =
      List.of("cpu", "memory", "ephemeral-storage", "storage");

  private ResourceCheck() {}

  static void check(Field resources) {
    Field limits = resources.at("limits");
    Field requests = resources.at("requests");
    limits.keys().forEach(name -> one(limits, name));
    for (String name : requests.keys()) {
      one(requests, name);
      BigDecimal request = value(requests.key(name));
      BigDecimal limit = value(limits.key(name));
      if (request != null && limit != null && request.compareTo(limit) > 0) {
        requests
            .key(name)
            .as(requests.path())
            .invalidText(
                "must be less than or equal to %s limit of %s".formatted(name, limits.text(name)));
      }
    }
  }

  private static void one(Field resources, String name) {
    Field quantity = resources.key(name);
    String shown = Cause.quote(name);
    Names.qualified(name).forEach(problem -> quantity.invalid(shown, problem));
    if (!name.contains("/") && !NATIVE.contains(name) && !name.startsWith("hugepages-")) {
      quantity.invalid(shown, "must be a standard resource type or fully qualified");
      quantity.invalid(shown, "must be a standard resource for containers");
    }
    BigDecimal value = value(quantity);
    if (value != null && value.signum() < 0) {
      quantity.invalidText("must be greater than or equal to 0");
    }
  }

  private static @Nullable BigDecimal value(Field quantity) {
    return quantity.given() ? Quantities.value(quantity.text()) : null;
  }
}
