// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.guide;

import dev.coxswain.k8s.SimpleController;
import dev.coxswain.reconcile.Result;
import java.time.Duration;
import java.util.Objects;

class Stamps extends SimpleController<Website> {
  Stamps() {
    super(Website.class, "stamp=yes"); // a selector of labels, or empty
  }

  @Override
  protected Result reconcile(Website website) throws Exception {
    Objects.requireNonNull(website.getMetadata()).putAnnotationsItem("example.com/stamped", "yes");
    return Result.requeueAfter(Duration.ofHours(1));
  }
}
