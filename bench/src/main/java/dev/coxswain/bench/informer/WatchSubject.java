// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.informer;

import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.KubernetesRuntime;
import dev.coxswain.k8s.cache.CacheKey;
import dev.coxswain.k8s.cache.CacheOptions;
import dev.coxswain.k8s.cache.CacheUser;
import dev.coxswain.k8s.cache.ObjectKeys;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.informer.InformerHandle;
import dev.coxswain.k8s.informer.InformerRegistry;
import dev.coxswain.k8s.informer.KeptSlots;
import dev.coxswain.k8s.resource.ResourceType;
import dev.coxswain.k8s.source.Handlers;
import dev.coxswain.spi.Clock;
import dev.coxswain.spi.Slots;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1ReplicaSet;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import okhttp3.Call;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okio.BufferedSource;

/**
 * Who follows a watch of pods.
 *
 * <p>Thread rule: one thread.
 */
interface WatchSubject extends AutoCloseable {
  /**
   * Waits until it has all that was sent by now.
   *
   * @param bytes how many that are since this returned last
   */
  void await(long bytes);

  @Override
  void close() throws IOException;

  /** Opens a subject by its name. */
  static WatchSubject open(String name, String url) throws IOException {
    return switch (name) {
      case "socket" -> Reader.ofSocket(URI.create(url));
      case "okhttp" -> Reader.ofClient(url, true);
      case "okhttpUnlimited" -> Reader.ofClient(url, false);
      case "foreign" -> new Informer(url, ObjectKeys.SELF, 1);
      case "foreignByOwner" ->
          new Informer(url, Handlers.owner(V1ReplicaSet.class).keys().orElseThrow(), 1);
      case "kept" -> new Informer(url, ObjectKeys.SELF, Informer.SLOTS);
      default -> throw new IllegalArgumentException("no subject " + name);
    };
  }

  private static ApiClient client(String url) {
    return new ApiClient().setBasePath(url).setVerifyingSsl(false);
  }

  /** A thread that reads bytes and drops them. */
  final class Reader implements WatchSubject {
    private static final int READ = 1 << 13;
    private static final long LOOK_AGAIN_NANOS = 200_000;

    private final Closeable connection;
    private final AtomicLong seen = new AtomicLong();
    private long awaited;

    private Reader(Closeable connection, InputStream in) throws IOException {
      this.connection = connection;
      byte[] buffer = new byte[READ];
      in.read(buffer); // the first event, and the head of a response
      Thread.ofPlatform()
          .daemon()
          .start(() -> {
            try {
              for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                seen.addAndGet(read);
              }
            } catch (IOException _) {
              // closed
            }
          });
    }

    /** The floor of any client of HTTP/1.1 without TLS. */
    static Reader ofSocket(URI uri) throws IOException {
      Socket socket = new Socket(uri.getHost(), uri.getPort());
      socket
          .getOutputStream()
          .write(
              "GET /api/v1/pods?watch=true HTTP/1.1\r\nHost: server\r\n\r\n"
                  .getBytes(StandardCharsets.US_ASCII));
      return new Reader(socket, socket.getInputStream());
    }

    /** The floor of this client, with the idle limit of a watch. */
    static Reader ofClient(String url, boolean limited) throws IOException {
      OkHttpClient http =
          client(url)
              .getHttpClient()
              .newBuilder()
              .readTimeout(KubernetesOptions.DEFAULT.idleTimeout())
              .pingInterval(Duration.ofSeconds(20))
              .build();
      Request request = new Request.Builder().url(url + "/api/v1/pods?watch=true").build();
      Call call = http.newCall(request);
      BufferedSource source = call.execute().body().source();
      if (!limited) {
        source.timeout().clearTimeout();
      }
      return new Reader(call::cancel, source.inputStream());
    }

    @Override
    public void await(long bytes) {
      awaited += bytes;
      while (seen.get() < awaited) {
        LockSupport.parkNanos(LOOK_AGAIN_NANOS);
      }
    }

    @Override
    public void close() throws IOException {
      connection.close();
    }
  }

  /** An informer of the objects of some slots; the last one of all events is in the first slot. */
  final class Informer implements WatchSubject {
    private static final int SLOTS = 256;

    private final Kubernetes kubernetes;
    private final InformerHandle<V1Pod> pods;
    private final Semaphore received = new Semaphore(0);

    private record OfNames(int count) implements Slots {
      @Override
      public int slotOf(String namespace, String name) {
        return name.startsWith(EventServer.LAST)
            ? 0
            : 1 + Math.floorMod(31 * namespace.hashCode() + name.hashCode(), count - 1);
      }

      @Override
      public boolean mayStart() {
        return true;
      }
    }

    Informer(String url, ObjectKeys keys, int kept) {
      kubernetes = Kubernetes.of(client(url), KubernetesOptions.DEFAULT);
      InformerRegistry caches =
          new InformerRegistry(
              KubernetesRuntime.of(kubernetes).transport(), CacheOptions.DEFAULT, Clock.system());
      KeptSlots slots = new KeptSlots(new OfNames(SLOTS));
      slots.keep(IntStream.range(0, kept).boxed().toList());
      caches.keepOnly(slots);
      pods =
          caches.use(
              List.of(new CacheKey<>(ResourceType.of(V1Pod.class), "", "", "")),
              Set.of(),
              CacheUser.filtered("bench", keys),
              false);
      pods.subscribe(
              "bench",
              event -> {
                if (event.key().name().startsWith(EventServer.LAST)) {
                  received.release();
                }
              })
          .synced()
          .await();
    }

    @Override
    public void await(long bytes) {
      received.acquireUninterruptibly();
    }

    @Override
    public void close() {
      pods.close();
      kubernetes.close();
    }
  }
}
