// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal.route;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import javax.net.SocketFactory;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import javax.net.ssl.X509TrustManager;
import okhttp3.OkHttpClient;
import okhttp3.internal.tls.OkHostnameVerifier;
import org.jspecify.annotations.Nullable;

/**
 * Which certificates are trusted, and under which name. Given authorities are trusted alone; without
 * them, those of the JDK. It is set before the HTTP client is built, which would read all
 * authorities of the JDK otherwise.
 *
 * <p>Thread rule: immutable.
 */
public final class TlsSettings {

  private final X509TrustManager trust;
  private final boolean verifying;
  private final String serverName;

  private TlsSettings(X509TrustManager trust, boolean verifying, String serverName) {
    this.trust = trust;
    this.verifying = verifying;
    this.serverName = serverName;
  }

  /**
   * Returns settings that verify certificates.
   *
   * @param authorities certificates as PEM, or null for the authorities of the JDK
   * @param serverName the name in the certificate of the server; empty for that of its address
   * @throws GeneralSecurityException when they are no certificates
   */
  public static TlsSettings of(byte @Nullable [] authorities, String serverName)
      throws GeneralSecurityException {
    KeyStore store = null;
    if (authorities != null) {
      store = emptyStore();
      int count = 0;
      for (Certificate one : PemText.certificates(authorities)) {
        store.setCertificateEntry("authority" + count++, one);
      }
    }
    return new TlsSettings(manager(store), true, serverName);
  }

  /** Returns settings that accept any certificate. */
  public static TlsSettings insecure(String serverName) {
    return new TlsSettings(new AnyCertificate(), false, serverName);
  }

  /** Loads the classes of TLS, which are several hundred. */
  public static void loadAhead() throws GeneralSecurityException {
    new TlsSettings(manager(emptyStore()), true, "").context(null);
  }

  /** Returns what trusts the certificates of servers. */
  public X509TrustManager trust() {
    return trust;
  }

  /**
   * Returns the connections to the server.
   *
   * @param keys the client certificate, or null for none
   */
  public SSLSocketFactory sockets(@Nullable ClientKeys keys) throws GeneralSecurityException {
    SSLSocketFactory sockets = context(keys).getSocketFactory();
    return serverName.isEmpty() ? sockets : new NamedSockets(sockets, serverName);
  }

  void apply(OkHttpClient.Builder http) throws GeneralSecurityException {
    http.sslSocketFactory(sockets(null), trust);
    if (!verifying) {
      http.hostnameVerifier((_, _) -> true);
    } else if (!serverName.isEmpty()) {
      http.hostnameVerifier(
          (_, session) -> OkHostnameVerifier.INSTANCE.verify(serverName, session));
    }
  }

  /** Returns connections to a proxy, with the same trust; its name is that of its address. */
  SocketFactory proxySockets() throws GeneralSecurityException {
    return new ProxySockets(context(null).getSocketFactory(), verifying);
  }

  private SSLContext context(@Nullable ClientKeys keys) throws GeneralSecurityException {
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys == null ? null : new KeyManager[] {keys}, new TrustManager[] {trust}, null);
    return context;
  }

  private static KeyStore emptyStore() throws GeneralSecurityException {
    try {
      KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
      store.load(null, null);
      return store;
    } catch (IOException e) {
      throw new IllegalStateException("nothing was read", e);
    }
  }

  private static X509TrustManager manager(@Nullable KeyStore store)
      throws GeneralSecurityException {
    TrustManagerFactory factory =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(store);
    return (X509TrustManager) factory.getTrustManagers()[0];
  }

  /** Sockets that name another server than the address does. */
  private static final class NamedSockets extends SSLSocketFactory {
    private final SSLSocketFactory sockets;
    private final String name;

    NamedSockets(SSLSocketFactory sockets, String name) {
      this.sockets = sockets;
      this.name = name;
    }

    @Override
    public Socket createSocket(Socket socket, String host, int port, boolean autoClose)
        throws IOException {
      return sockets.createSocket(socket, name, port, autoClose);
    }

    @Override
    public String[] getDefaultCipherSuites() {
      return sockets.getDefaultCipherSuites();
    }

    @Override
    public String[] getSupportedCipherSuites() {
      return sockets.getSupportedCipherSuites();
    }

    @Override
    public Socket createSocket(String host, int port) {
      throw new UnsupportedOperationException("only on a connection");
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress local, int localPort) {
      throw new UnsupportedOperationException("only on a connection");
    }

    @Override
    public Socket createSocket(InetAddress host, int port) {
      throw new UnsupportedOperationException("only on a connection");
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort) {
      throw new UnsupportedOperationException("only on a connection");
    }
  }

  /** Sockets that begin with TLS, where the HTTP client expects plain ones. */
  private static final class ProxySockets extends ClientConnections {
    private final SSLSocketFactory sockets;
    private final boolean verifying;

    ProxySockets(SSLSocketFactory sockets, boolean verifying) {
      this.sockets = sockets;
      this.verifying = verifying;
    }

    @Override
    public Socket createSocket() throws IOException {
      SSLSocket socket = (SSLSocket) sockets.createSocket();
      if (verifying) {
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        socket.setSSLParameters(parameters);
      }
      return socket;
    }
  }

  /** Trusts any certificate, as {@code insecure-skip-tls-verify} demands. */
  private static final class AnyCertificate extends X509ExtendedTrustManager {
    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }
}
