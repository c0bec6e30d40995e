// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.admin.auth.AccessLevel;
import dev.coxswain.admin.auth.AccessRequest;
import dev.coxswain.admin.auth.Authentication;
import dev.coxswain.admin.auth.ReviewLimits;
import dev.coxswain.admin.auth.Verb;
import dev.coxswain.admin.internal.http.Access;
import dev.coxswain.testing.Await;
import io.vertx.core.Promise;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a caller holds of the requests in flight, and of the bodies that are being read. */
@Timeout(120)
class InFlightSharesTest {

  private static final int MAX = 16;
  private static final String ORDERS = Api.DEMO + "/operations";
  private static final String FORGET =
      "{\"action\":\"forget\",\"selector\":{\"failing\":true},\"reason\":\"INC-1\"}";

  private final Reviewers reviewers = new Reviewers();
  private final Api api =
      new Api(
          reviewers.control(ReviewLimits.DEFAULT),
          reviewers,
          // No deadline helps: it is longer than this test may take.
          options -> options.withMaxInFlight(MAX).withRequestTimeout(Duration.ofMinutes(5)));
  private final List<Socket> sockets = new ArrayList<>();

  @AfterEach
  void close() throws IOException {
    for (Socket socket : sockets) {
      socket.close();
    }
    api.close();
  }

  /** Sends a request whose body does not come; returns the first line of the response. */
  private String slow(String caller, String path) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), api.port);
    sockets.add(socket);
    socket.setSoTimeout(60_000);
    socket
        .getOutputStream()
        .write(
            ("POST "
                    + path
                    + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer good-"
                    + caller
                    + "\r\nContent-Type: application/json\r\nContent-Length: 90\r\n"
                    + "Expect: 100-continue\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII));
    return line(socket);
  }

  private static String line(Socket socket) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = socket.getInputStream().read();
        c >= 0 && c != '\n';
        c = socket.getInputStream().read()) {
      line.append((char) c);
    }
    return line.toString().trim();
  }

  private static boolean isAnswered(Socket socket) {
    try {
      return socket.getInputStream().available() > 0;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Api.Answer get(String caller) {
    return api.send(
        api.request("/api/v1/limiters").header("Authorization", "Bearer good-" + caller));
  }

  /** Four tokens without any right kept 80 % of the requests of an administrator out. */
  @Test
  void slowBodiesOfSomeCallers_keepNoOtherCallerOut() throws IOException {
    for (int i = 0; i < 4 * MAX; i++) {
      assertThat(slow("mallory-" + i % 4, ORDERS)).startsWith("HTTP/1.1 100 ");
    }
    for (int i = 0; i < 20; i++) {
      get("admin").ok(200);
    }
    api.post(ORDERS, FORGET, "Authorization", "Bearer good-admin").ok(202);
    // The oldest ones gave way.
    assertThat(line(sockets.getFirst())).isEmpty(); // the end of "100 Continue"
    assertThat(line(sockets.getFirst())).startsWith("HTTP/1.1 408 ");
  }

  @Test
  void aBodyThatNobodyMaySend_isNotRead() throws IOException {
    try (Api reading =
        new Api(
            reviewers.control(ReviewLimits.DEFAULT).withCeiling(AccessLevel.READ_ONLY),
            reviewers,
            options -> options)) {
      String answer =
          reading.raw(
              "POST "
                  + ORDERS
                  + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer good-a\r\n"
                  + "Content-Type: application/json\r\nContent-Length: 90\r\n"
                  + "Expect: 100-continue\r\n\r\n");
      assertThat(answer).startsWith("HTTP/1.1 403 ").contains("access-ceiling");
    }
  }

  @Test
  void aBodyWithoutTheRightOfItsRoute_isNotRead() throws IOException {
    reviewers.denied.add(new AccessRequest(Verb.PAUSE, Access.CONTROLLERS, "", "demo"));
    assertThat(slow("mallory", Api.DEMO + "/pause")).startsWith("HTTP/1.1 403 ");
  }

  @Test
  void aCaller_hasAtMostItsShare_andGetsItBackWhenItLeaves() throws IOException {
    for (int i = 0; i < MAX; i++) {
      assertThat(slow("bob", Api.DEMO + "/pause"))
          .startsWith(i < MAX / 4 ? "HTTP/1.1 100 " : "HTTP/1.1 503 ");
    }
    assertThat(get("bob").problem(503, "too-many-requests-in-flight").path("detail").asText())
        .contains("\"bob\" has 4 requests in flight");
    get("alice").ok(200);
    for (Socket socket : sockets) {
      socket.close();
    }
    Await.until(() -> get("bob").status() == 200);
  }

  /** All requests with one token share one review, so they were in flight for as long as it took. */
  @Test
  void requestsWithATokenThatIsBeingReviewed_keepNoKnownCallerOut() throws IOException {
    get("admin").ok(200);
    Promise<Authentication> held = Promise.promise();
    reviewers.held = held;
    for (int i = 0; i < 3 * MAX; i++) {
      Socket socket = new Socket(InetAddress.getLoopbackAddress(), api.port);
      sockets.add(socket);
      socket.setSoTimeout(60_000);
      socket
          .getOutputStream()
          .write(
              "GET /api/v1 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer slow\r\n\r\n"
                  .getBytes(StandardCharsets.US_ASCII));
    }
    Await.until(() -> sockets.stream().anyMatch(InFlightSharesTest::isAnswered)); // one too many
    for (int i = 0; i < 20; i++) {
      get("admin").ok(200);
    }
    held.complete(Authentication.rejected());
  }
}
