// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.storm;

import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.apiserver.Faults;
import io.kubernetes.client.openapi.ApiClient;
import java.time.Duration;
import java.util.Optional;

/** Where the storm takes place. Any thread; calls may block. */
interface StormCluster extends AutoCloseable {

  /** Returns a client with connections of its own. */
  ApiClient client();

  /** Returns what breaks the server; empty when nothing can. */
  Optional<Faults> faults();

  /** Returns what to call it. */
  String describe();

  @Override
  void close();

  /** Returns a new embedded server of this process. */
  static StormCluster embedded() {
    // A history that is full early: its memory must not be taken for a leak.
    EmbeddedApiServer server =
        EmbeddedApiServer.startBlocking(
            EmbeddedApiServerOptions.defaults()
                .withWatchHistory(500)
                .withBookmarkInterval(Duration.ofMillis(500)));
    return new StormCluster() {
      @Override
      public ApiClient client() {
        return new ApiClient().setBasePath(server.url());
      }

      @Override
      public Optional<Faults> faults() {
        return Optional.of(server.faults());
      }

      @Override
      public String describe() {
        return "embedded API server in this process";
      }

      @Override
      public void close() {
        server.close();
      }
    };
  }
}
