// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.dependant;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import dev.coxswain.reconcile.Request;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import org.junit.jupiter.api.Test;

/** A state is known to be applied for one revision of an object, and for a bounded number. */
class AppliedRevisionsTest {

  private static final Request KEY = Request.of("default", "shop");

  private static V1ConfigMap at(String revision) {
    return new V1ConfigMap().metadata(new V1ObjectMeta().resourceVersion(revision));
  }

  private static AppliedState state(String digest) {
    return new AppliedState(new JsonObject(), digest);
  }

  @Test
  void aState_isKnown_ofThatRevisionAlone() {
    AppliedRevisions revisions = new AppliedRevisions();
    assertThat(revisions.has(KEY, at("7"), state("a"))).isFalse();

    revisions.put(KEY, at("7"), state("a"));

    assertThat(revisions.has(KEY, at("7"), state("a"))).isTrue();
    assertThat(revisions.has(KEY, at("8"), state("a"))).isFalse();
    assertThat(revisions.has(KEY, at("7"), state("b"))).isFalse();
    assertThat(revisions.has(Request.of("default", "other"), at("7"), state("a"))).isFalse();
  }

  @Test
  void theOneThatWasNotUsedForTheLongestTime_isDropped() {
    AppliedRevisions revisions = new AppliedRevisions();
    for (int i = 0; i < AppliedRevisions.LIMIT; i++) {
      revisions.put(Request.of("default", "n" + i), at("7"), state("a"));
    }
    assertThat(revisions.has(Request.of("default", "n0"), at("7"), state("a"))).isTrue();

    revisions.put(KEY, at("7"), state("a"));

    assertThat(revisions.has(Request.of("default", "n0"), at("7"), state("a"))).isTrue();
    assertThat(revisions.has(Request.of("default", "n1"), at("7"), state("a"))).isFalse();
    assertThat(revisions.has(KEY, at("7"), state("a"))).isTrue();
  }
}
