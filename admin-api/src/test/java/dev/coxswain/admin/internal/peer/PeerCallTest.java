// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.peer;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.LoggerFactory;

@Isolated // looks at the log of Vert.x, which all tests share
class PeerCallTest {

  private final Vertx vertx = Vertx.vertx();
  private final Logger logger = (Logger) LoggerFactory.getLogger("io.vertx.core.http");
  private final ListAppender<ILoggingEvent> logged = new ListAppender<>();

  @BeforeEach
  void listen() {
    logged.start();
    logger.addAppender(logged);
  }

  @AfterEach
  void close() {
    logger.detachAppender(logged);
    vertx.close().await();
  }

  /** The call has ended with its time limit; a connection that is opened later has no effect. */
  @Test
  void aConnectionAfterTheEnd_isNoErrorInTheLog() {
    HttpServer server =
        vertx
            .createHttpServer()
            .requestHandler(request -> request.response().end())
            .listen(0, "127.0.0.1")
            .await();
    HttpClientRequest request =
        vertx
            .createHttpClient()
            .request(HttpMethod.GET, server.actualPort(), "127.0.0.1", "/")
            .await();
    Promise<Void> done = Promise.promise();
    vertx.runOnContext(_ -> {
      Ended call = new Ended(vertx);
      call.abort(PeerAnswer.State.TIMEOUT, "late");
      call.connected(request, Map.of(), null);
      request.response().onComplete(_ -> vertx.runOnContext(_ -> done.complete()));
    });
    done.future().await();
    assertThat(List.copyOf(logged.list))
        .filteredOn(event -> event.getLevel().isGreaterOrEqual(Level.WARN))
        .isEmpty();
  }

  private static final class Ended extends PeerCall<PeerAnswer> {

    Ended(Vertx vertx) {
      super(vertx, new Peer("other", "http://127.0.0.1:1"), 60_000);
    }

    @Override
    PeerAnswer result(PeerAnswer answer) {
      return answer;
    }

    @Override
    void answered(HttpClientResponse response) {}
  }
}
