// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.value;

import java.util.List;

/** A list, merged from those of several replicas. */
public interface ListValue extends MergedValue {

  List<?> items();

  @Override
  default int entries() {
    return items().stream()
        .mapToInt(item -> item instanceof SizedValue value ? value.entries() : 1)
        .sum();
  }
}
