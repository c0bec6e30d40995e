// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.lease;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.events.EventRecorder;
import dev.coxswain.k8s.fixture.Mischief;
import dev.coxswain.k8s.resource.ListOptions;
import dev.coxswain.k8s.resource.ResourceType;
import dev.coxswain.spi.Clock;
import dev.coxswain.testing.Await;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.models.EventsV1Event;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Listeners of an election, and what is plugged into the HTTP client that all requests use. */
class ElectionUserCodeTest {

  private static final LeaseOptions LONG =
      new LeaseOptions(Duration.ofHours(2), Duration.ofHours(1), Duration.ofMillis(20));

  private static final EmbeddedApiServer server =
      EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());

  /** So many of the next requests run into what the interceptor does. */
  private final AtomicInteger bad = new AtomicInteger();

  @AfterAll
  static void stop() {
    server.close();
  }

  private Kubernetes intercepted(Mischief mischief) {
    ApiClient client = new ApiClient().setBasePath(server.url());
    client.setHttpClient(
        client
            .getHttpClient()
            .newBuilder()
            .addInterceptor(chain -> {
              if (bad.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                mischief.run();
              }
              return chain.proceed(chain.request());
            })
            .build());
    return Kubernetes.of(client, KubernetesOptions.DEFAULT);
  }

  private static LeaderElection election(
      Kubernetes k8s, Mischief mischief, LeaderListener listener) {
    return new LeaderElection(
        k8s.transport(),
        "default",
        "user-code-" + mischief.name().toLowerCase(java.util.Locale.ROOT).replace('_', '-'),
        "me",
        LONG,
        Clock.system(),
        listener);
  }

  @ParameterizedTest
  @EnumSource
  void whateverListenersAndInterceptorsDo_theElectionGoesOn_andGivesTheLeaseBack(
      Mischief mischief) {
    List<String> calls = new CopyOnWriteArrayList<>();
    bad.set(3);
    try (Kubernetes k8s = intercepted(mischief)) {
      LeaderElection election =
          election(
              k8s,
              mischief,
              new LeaderListener() {
                @Override
                public void onStartedLeading() {
                  calls.add("starts");
                  mischief.run();
                }

                @Override
                public void onStoppedLeading() {
                  calls.add("stops");
                  mischief.run();
                }

                @Override
                public void onNewLeader(String identity) {
                  calls.add("new " + identity);
                  mischief.run();
                }
              });
      election.start();
      Await.until(() -> "all calls: " + calls, () -> calls.equals(List.of("starts", "new me")));
      Await.get(election.stop());

      assertThat(calls).containsExactly("starts", "new me", "stops");
      assertThat(election.isLeading()).isFalse();
      LeaderElection next = election(k8s, mischief, new Silent());
      next.start();
      Await.until("the next leader", next::isLeading);
      Await.get(next.stop());
    }
  }

  @ParameterizedTest
  @EnumSource
  void whateverAnInterceptorDoes_theNextEventIsWritten(Mischief mischief) {
    String name = mischief.name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
    try (Kubernetes k8s = intercepted(mischief);
        EventRecorder recorder =
            new EventRecorder(k8s.transport(), "coxswain.dev/test", "pod-1", Clock.system())) {
      V1ConfigMap object =
          k8s.resource(V1ConfigMap.class)
              .create(
                  new V1ConfigMap().metadata(new V1ObjectMeta().namespace("default").name(name)));
      ResourceType<V1ConfigMap> type = ResourceType.of(V1ConfigMap.class);
      bad.set(1);
      recorder.normal(type, object, "First", "Test", "first " + name);
      Await.until("the first request", () -> bad.get() == 0);
      recorder.normal(type, object, "Second", "Test", "second " + name);

      Await.until(
          "the second event",
          () ->
              k8s
                  .resource(EventsV1Event.class)
                  .list(ListOptions.ALL.inNamespace("default"))
                  .stream()
                  .anyMatch(event -> ("second " + name).equals(event.getNote())));
    }
  }

  private static final class Silent implements LeaderListener {
    @Override
    public void onStartedLeading() {}

    @Override
    public void onStoppedLeading() {}
  }
}
