// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.informer;

import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.bench.run.ApiServer;
import dev.coxswain.k8s.cache.CacheKey;
import dev.coxswain.k8s.cache.CacheOptions;
import dev.coxswain.k8s.cache.CacheUser;
import dev.coxswain.k8s.cache.ObjectKeys;
import dev.coxswain.k8s.client.ApiTransport;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.informer.InformerHandle;
import dev.coxswain.k8s.informer.InformerRegistry;
import dev.coxswain.k8s.informer.KeptSlots;
import dev.coxswain.k8s.resource.ResourceType;
import dev.coxswain.sharding.internal.slot.SlotDivision;
import dev.coxswain.sharding.internal.slot.SlotFunction;
import dev.coxswain.spi.Clock;
import dev.coxswain.spi.Slots;
import dev.coxswain.testing.process.Machine;
import dev.coxswain.testing.report.RecordCodec;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.io.IOException;
import java.util.List;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import okhttp3.Interceptor;
import okhttp3.Response;
import okhttp3.ResponseBody;
import okio.Buffer;
import okio.ForwardingSource;
import okio.Okio;

/**
 * Measures what a replica reads that has a tenth of the slots: at its start, and when it takes over one more. A process
 * of its own, with a JVM that has read nothing before.
 */
public final class SlotLoadProbe {
  static final int OBJECTS_OF_A_NAMESPACE = 50;

  private static final int SLOTS = 64;
  private static final int SHARE = 6;
  private static final int CONTENT = 2_000;
  private static final int LOADS = 10;
  private static final long LIMIT_NANOS = 300_000_000_000L;

  /**
   * The figures.
   *
   * @param startMillis from nothing to a synced cache
   * @param startBytes of the responses until then
   * @param loadMillis of a load of one slot, the last of some
   * @param loadBytes of the responses of that
   * @param loadCpuMillis processor time of that
   * @param objects in the cache at last
   */
  record Report(
      double startMillis,
      double startBytes,
      double startCpuMillis,
      double loadMillis,
      double loadBytes,
      double loadCpuMillis,
      double objects) {}

  /** ConfigMaps in namespaces of some. */
  public static final class Content implements ApiServer.Content {
    public Content() {}

    @Override
    public void fill(EmbeddedApiServer server, String amount) {
      Random random = new Random(1);
      for (int i = 0; i < Integer.parseInt(amount); i++) {
        String namespace = "team-" + i / OBJECTS_OF_A_NAMESPACE;
        if (i % OBJECTS_OF_A_NAMESPACE == 0) {
          server.apply(
              "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"%s\"}}"
                  .formatted(namespace));
        }
        server.apply(
            """
            {"apiVersion": "v1", "kind": "ConfigMap",
             "metadata": {"name": "map-%d", "namespace": "%s"}, "data": {"content": "%s"}}
            """
                .formatted(i, namespace, ApiServer.text(CONTENT, random)));
      }
    }
  }

  private record Division(SlotDivision by) implements Slots {
    @Override
    public int count() {
      return SLOTS;
    }

    @Override
    public int slotOf(String namespace, String name) {
      return by.slot(namespace, name, SLOTS);
    }

    @Override
    public OptionalInt slotOfNamespace(String namespace) {
      return by == SlotDivision.NAMESPACE
          ? OptionalInt.of(SlotFunction.slotOfNamespace(namespace, SLOTS))
          : OptionalInt.empty();
    }

    @Override
    public boolean mayStart() {
      return true;
    }
  }

  private final AtomicLong received = new AtomicLong();

  private SlotLoadProbe() {}

  public static void main(String[] args) {
    System.out.println(
        RecordCodec.line(new SlotLoadProbe().measure(args[0], SlotDivision.valueOf(args[1]))));
    System.exit(0);
  }

  private Report measure(String url, SlotDivision by) {
    ApiClient client = new ApiClient().setBasePath(url);
    client.setHttpClient(
        client.getHttpClient().newBuilder().addNetworkInterceptor(this::count).build());
    InformerRegistry caches =
        new InformerRegistry(
            new ApiTransport(client, KubernetesOptions.DEFAULT),
            CacheOptions.DEFAULT,
            Clock.system());
    KeptSlots kept = new KeptSlots(new Division(by));
    caches.keepOnly(kept);
    kept.keep(IntStream.range(0, SHARE).boxed().toList());
    long begin = System.nanoTime();
    long cpu = Machine.cpuNanos();
    InformerHandle<V1ConfigMap> cache =
        caches.use(
            List.of(new CacheKey<>(ResourceType.of(V1ConfigMap.class), "", "", "")),
            Set.of(),
            CacheUser.filtered("bench", ObjectKeys.SELF),
            false);
    await(cache::isSynced);
    Report report =
        new Report(
            (System.nanoTime() - begin) / 1e6,
            received.get(),
            (Machine.cpuNanos() - cpu) / 1e6,
            0,
            0,
            0,
            0);
    for (int i = 0; i < LOADS; i++) {
      report = load(kept, SHARE + i, cache, report);
    }
    return report;
  }

  private Report load(KeptSlots kept, int slot, InformerHandle<V1ConfigMap> cache, Report before) {
    long begin = System.nanoTime();
    long cpu = Machine.cpuNanos();
    long bytes = received.get();
    var loaded = kept.keep(List.of(slot));
    await(loaded::isComplete);
    return new Report(
        before.startMillis,
        before.startBytes,
        before.startCpuMillis,
        (System.nanoTime() - begin) / 1e6,
        received.get() - bytes,
        (Machine.cpuNanos() - cpu) / 1e6,
        cache.status().objects());
  }

  private static void await(BooleanSupplier condition) {
    long begin = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - begin > LIMIT_NANOS) {
        throw new IllegalStateException("not loaded");
      }
      LockSupport.parkNanos(200_000);
    }
  }

  private Response count(Interceptor.Chain chain) throws IOException {
    Response response = chain.proceed(chain.request());
    ResponseBody body = response.body();
    var counted =
        new ForwardingSource(body.source()) {
          @Override
          public long read(Buffer sink, long most) throws IOException {
            long read = super.read(sink, most);
            received.addAndGet(Math.max(0, read));
            return read;
          }
        };
    return response
        .newBuilder()
        .body(ResponseBody.create(Okio.buffer(counted), body.contentType(), body.contentLength()))
        .build();
  }
}
