// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.KubernetesRuntime;
import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.reconcile.Request;
import dev.coxswain.spi.Clock;
import dev.coxswain.testing.CannedServer;
import io.kubernetes.client.openapi.models.V1Lease;
import org.junit.jupiter.api.Test;

class ApiLeaseStoreTest {

  private static final LeaseRecord FRESH = LeaseRecord.unheld("default", "one");

  @Test
  void deletedLease_isNotBroughtBackByARenewal() {
    try (EmbeddedApiServer server =
            EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
        Kubernetes k8s = Kubernetes.at(server.url(), KubernetesOptions.DEFAULT)) {
      LeaseStore store = new ApiLeaseStore(KubernetesRuntime.of(k8s).transport(), "default", "one");
      LeaseRecord held = store.create(FRESH.heldBy("a", 15, Clock.system().instant()));
      k8s.resource(V1Lease.class).delete(Request.of("default", "one"));

      LeaseRecord renewal = held.heldBy("a", 15, Clock.system().instant());
      assertThatThrownBy(() -> store.update(renewal))
          .isInstanceOfSatisfying(
              ApiStatusException.class, e -> assertThat(e.isConflict()).isTrue());
      assertThat(store.get()).isEmpty();
    }
  }

  /** No real server does this; a fake, because the rule must hold behind any proxy. */
  @Test
  void leaseThatComesBackWithAnotherUid_isNotHeld() {
    try (CannedServer server =
            new CannedServer(exchange ->
                new CannedServer.Answer(
                    201,
                    "{\"kind\":\"Lease\",\"apiVersion\":\"coordination.k8s.io/v1\",\"metadata\":{\"name\":\"one\",\"uid\":\"2\",\"resourceVersion\":\"9\"},\"spec\":{\"holderIdentity\":\"a\"}}"));
        Kubernetes k8s = Kubernetes.at(server.url(), KubernetesOptions.DEFAULT)) {
      LeaseStore store = new ApiLeaseStore(KubernetesRuntime.of(k8s).transport(), "default", "one");
      LeaseRecord created = store.create(FRESH);
      assertThat(created.uid()).isEqualTo("2");
      assertThat(store.update(created).holder()).isEqualTo("a");

      JsonObject other = created.json().deepCopy();
      other.getAsJsonObject("metadata").addProperty("uid", "1");
      assertThatThrownBy(() -> store.update(new LeaseRecord(other)))
          .isInstanceOfSatisfying(
              ApiStatusException.class,
              e -> {
                assertThat(e.isConflict()).isTrue();
                assertThat(e).hasMessageContaining("has uid 2, the one that was read had 1");
              });
    }
  }
}
