// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.value;

import java.util.List;

/** A list, merged from those of several replicas. */
public interface ListValue extends MergedValue {

  List<?> items();

  @Override
  default int entries() {
    return items().size();
  }
}
