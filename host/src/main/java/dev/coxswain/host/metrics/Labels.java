// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.metrics;

import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import java.util.ArrayList;
import java.util.List;

/** Tags of a meter from its labels and their values. */
final class Labels {
  private Labels() {}

  static Tags of(Meters meter, String... values) {
    if (values.length != meter.labels().size()) {
      throw new IllegalArgumentException(
          meter.id() + " needs a value for each of " + meter.labels());
    }
    List<Tag> tags = new ArrayList<>();
    for (int i = 0; i < values.length; i++) {
      tags.add(Tag.of(meter.labels().get(i), values[i]));
    }
    return Tags.of(tags);
  }
}
