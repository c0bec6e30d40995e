// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.print;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.DumperOptions;

/** JSON values as YAML. Loaded only for {@code -o yaml}. */
public final class Yaml {

  private Yaml() {}

  /** Returns a document. */
  public static String document(Json json) {
    return dump(json.value());
  }

  /** Returns an element of a list. */
  static String element(Json json) {
    return dump(List.of(Objects.requireNonNull(json.value())));
  }

  private static String dump(@Nullable Object value) {
    DumperOptions options = new DumperOptions();
    options.setDefaultFlowStyle(DumperOptions.FlowStyle.BLOCK);
    options.setSplitLines(false);
    return new org.yaml.snakeyaml.Yaml(options).dump(value);
  }
}
