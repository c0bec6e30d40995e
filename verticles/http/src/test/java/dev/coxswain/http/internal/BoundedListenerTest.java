// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.http.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.testing.Await;
import dev.coxswain.testing.SelfSigned;
import dev.coxswain.testing.process.FreePorts;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What holds for every listener, with and without TLS. */
@Timeout(180)
class BoundedListenerTest {

  private static final Duration LONG = Duration.ofMinutes(10);
  private static final Duration TIME = Duration.ofSeconds(3); // handshakes take some of it
  private static final int CONNECTIONS = 4;
  private static final String GET = "GET /here HTTP/1.1\r\nHost: localhost\r\n\r\n";
  private static final String LAST = GET.replace("Host", "Connection: close\r\nHost");
  private static ServerCertificate one;
  private static ServerCertificate two;
  private static ServerCertificate torn;

  private final Vertx vertx = Vertx.vertx();
  private final List<ConnectionRefusal> refused = new CopyOnWriteArrayList<>();
  private final List<Socket> open = new ArrayList<>();
  private BoundedListener listener;

  @BeforeAll
  static void make(@TempDir Path folder) throws Exception {
    SelfSigned.add(folder.resolve("keys"), "one", "CN=one");
    KeyStore store = SelfSigned.add(folder.resolve("keys"), "two", "CN=two");
    one = new ServerCertificate(certificate(store, "one"), key(store, "one"));
    two = new ServerCertificate(certificate(store, "two"), key(store, "two"));
    torn = new ServerCertificate(certificate(store, "two"), key(store, "one"));
  }

  private static byte[] certificate(KeyStore store, String name) throws Exception {
    return pem("CERTIFICATE", store.getCertificate(name).getEncoded());
  }

  private static byte[] key(KeyStore store, String name) throws Exception {
    char[] password = SelfSigned.PASSWORD.toCharArray();
    return pem("PRIVATE KEY", store.getKey(name, password).getEncoded());
  }

  private static byte[] pem(String what, byte[] content) {
    String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
    return ("-----BEGIN " + what + "-----\n" + text + "\n-----END " + what + "-----\n")
        .getBytes(StandardCharsets.US_ASCII);
  }

  @AfterEach
  void close() throws IOException {
    for (Socket socket : open) {
      socket.close();
    }
    Await.get(vertx.close());
  }

  private BoundedListener create(int port, Duration first, Duration idle) {
    return new BoundedListener(
        vertx,
        new ListenerOptions(
            "test",
            "127.0.0.1",
            port,
            new ConnectionBounds(CONNECTIONS, CONNECTIONS, CONNECTIONS, first, idle)),
        refused::add);
  }

  private void start(boolean tls, Duration first, Duration idle) {
    start(0, tls, first, idle);
  }

  private void start(int port, boolean tls, Duration first, Duration idle) {
    listener = create(port, first, idle);
    listener.requests(request -> {
      listener.limits().accepted(request.connection());
      request.response().end("seen");
    });
    Await.get(listener.serve(tls ? one : null));
    assertThat(listener.url()).startsWith(tls ? "https://127.0.0.1:" : "http://127.0.0.1:");
  }

  private Socket raw() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), listener.port());
    socket.setSoTimeout(60_000);
    open.add(socket);
    return socket;
  }

  private Socket connect(boolean tls) throws Exception {
    Socket socket = raw();
    if (!tls) {
      return socket;
    }
    SSLSocket wrapped =
        (SSLSocket)
            NonReadingClient.trustAll().createSocket(socket, "localhost", listener.port(), true);
    wrapped.startHandshake();
    return wrapped;
  }

  private String send(boolean tls, String text) throws Exception {
    Socket socket = connect(tls);
    socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }

  private String seen() throws Exception {
    SSLSocket socket = (SSLSocket) connect(true);
    X509Certificate shown = (X509Certificate) socket.getSession().getPeerCertificates()[0];
    return shown.getSubjectX500Principal().getName();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void idleConnections_giveWayToNewOnes_andAreCounted(boolean tls) throws Exception {
    start(tls, LONG, LONG);
    for (int i = 0; i < 10 * CONNECTIONS; i++) {
      connect(tls);
    }
    assertThat(send(tls, LAST)).startsWith("HTTP/1.1 200 ");
    assertThat(refused).contains(ConnectionRefusal.ADDRESS);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aSilentConnection_isClosed_andCounted(boolean tls) throws Exception {
    start(tls, TIME, LONG);
    assertThat(send(tls, "GET /here")).isEmpty();
    assertThat(refused).containsExactly(ConnectionRefusal.SLOW);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aConnectionThatWaitsAfterAResponse_isClosed(boolean tls) throws Exception {
    start(tls, TIME, TIME);
    assertThat(send(tls, GET)).startsWith("HTTP/1.1 200 ");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aClientThatSendsAndDoesNotRead_isCutOff(boolean tls) throws Exception {
    start(tls, LONG, TIME);
    assertThat(NonReadingClient.isCutOff(listener.port(), tls, GET)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void requestsThatWaitForNoResponse_areAllAnswered(boolean tls) throws Exception {
    start(tls, LONG, LONG);
    assertThat(send(tls, GET.repeat(9) + LAST).split("HTTP/1.1 200 ", -1)).hasSize(11);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aHeadThatIsTooLarge_isRefused(boolean tls) throws Exception {
    start(tls, LONG, LONG);
    assertThat(send(tls, LAST.replace("here", "x".repeat(5_000)))).contains(" 414 ");
    assertThat(send(tls, LAST.replace("Host", "A: " + "x".repeat(9_000) + "\r\nHost")))
        .contains(" 431 ");
  }

  /** They are reported to the server only when they have ended. */
  @Test
  void connectionsInTheirHandshake_areBounded_andGiveWayToNewOnes() throws Exception {
    start(true, LONG, LONG);
    List<Socket> silent = new ArrayList<>();
    for (int i = 0; i < 3 * CONNECTIONS; i++) {
      silent.add(raw());
    }
    assertThat(send(true, LAST)).startsWith("HTTP/1.1 200 ");
    assertThat(refused).hasSize(2 * CONNECTIONS + 1).containsOnly(ConnectionRefusal.UNKNOWN);
    for (Socket socket : silent.subList(0, 2 * CONNECTIONS)) {
      assertThat(socket.getInputStream().read()).isNegative();
    }
    Socket last = silent.getLast();
    last.setSoTimeout(1);
    assertThatThrownBy(() -> last.getInputStream().read())
        .isInstanceOf(SocketTimeoutException.class);
  }

  @Test
  void aRenewedCertificate_isForNewConnections_andABadOneForNone() throws Exception {
    start(true, LONG, LONG);
    Socket before = connect(true);
    assertThat(seen()).isEqualTo("CN=one");

    assertThatThrownBy(() -> Await.get(listener.serve(torn)))
        .hasStackTraceContaining("does not belong");
    assertThat(seen()).isEqualTo("CN=one");

    Await.get(listener.serve(two));
    assertThat(seen()).isEqualTo("CN=two");
    assertThat(listener.served().getSubjectX500Principal().getName()).isEqualTo("CN=two");
    before.getOutputStream().write(LAST.getBytes(StandardCharsets.US_ASCII));
    assertThat(new String(before.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
        .startsWith("HTTP/1.1 200 ");
  }

  private static boolean isFree(int port) {
    try (ServerSocket free = new ServerSocket()) {
      free.setReuseAddress(true);
      free.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aStopDuringTheStart_leavesNoPort(boolean tls) throws Exception {
    for (int i = 0; i < 20; i++) {
      int port = FreePorts.one();
      BoundedListener late = create(port, Duration.ofSeconds(5), Duration.ofSeconds(5));
      Future<Void> started = late.serve(tls ? one : null);
      Await.get(late.stop());
      Await.until(started::isComplete);
      Await.until(() -> isFree(port)); // some milliseconds after the stop
    }
  }

  @Test
  void aPortInUse_failsTheStart_andAStoppedListenerHasClosedItsPort() throws Exception {
    int port = FreePorts.one(); // or another server could have it as soon as it is closed
    start(port, false, LONG, LONG);
    ListenerOptions same =
        new ListenerOptions(
            "other", "127.0.0.1", port, ConnectionBounds.ofAnyAddress(1, LONG, LONG));
    Vertx another = Vertx.vertx(); // servers of one share their ports
    Future<Void> failed = new BoundedListener(another, same, refused::add).serve(null);
    assertThatThrownBy(() -> Await.get(failed)).hasRootCauseInstanceOf(BindException.class);
    Await.get(another.close());

    Await.get(listener.stop());
    Await.until("the port to be free", () -> isFree(port)); // some milliseconds after the stop
  }
}
