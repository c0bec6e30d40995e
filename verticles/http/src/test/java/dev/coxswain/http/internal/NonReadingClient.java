// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.http.internal;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;

/**
 * A client that sends requests without an end and reads no response.
 *
 * <p>Thread rule: any thread.
 */
final class NonReadingClient {

  /** Their responses are larger than the buffers of both sides. */
  private static final int REQUESTS = 400_000;

  private static final int AT_ONCE = 1_000;
  private static final int BUFFER = 16 * 1024;

  private NonReadingClient() {}

  /** Returns whether the server at this port closes the connection. */
  static boolean isCutOff(int port, boolean tls, String request) throws Exception {
    byte[] requests = request.repeat(AT_ONCE).getBytes(StandardCharsets.US_ASCII);
    try (Socket plain = new Socket()) {
      plain.setReceiveBufferSize(BUFFER);
      plain.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      Socket socket = tls ? trustAll().createSocket(plain, "localhost", port, true) : plain;
      OutputStream out = socket.getOutputStream();
      for (int sent = 0; sent < REQUESTS; sent += AT_ONCE) {
        out.write(requests);
      }
      return false;
    } catch (IOException e) {
      return true;
    }
  }

  /** Returns sockets that trust every certificate. */
  static SSLSocketFactory trustAll() throws GeneralSecurityException {
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, new TrustManager[] {new TrustAll()}, null);
    return context.getSocketFactory();
  }

  private static final class TrustAll implements X509TrustManager {
    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }
}
