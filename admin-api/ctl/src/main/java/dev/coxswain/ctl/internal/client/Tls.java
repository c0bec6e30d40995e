// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.client;

import dev.coxswain.ctl.internal.cli.CommandException;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Collection;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/** The trusted certificates. TLS classes are not loaded for plain HTTP. */
public final class Tls {

  private final @Nullable String authority;
  private final boolean anyCertificate;
  private @Nullable SSLContext context;

  /**
   * Creates the settings.
   *
   * @param authority a file with PEM certificates, or null for the defaults of Java
   * @param anyCertificate whether every certificate is accepted
   */
  public Tls(@Nullable String authority, boolean anyCertificate) {
    this.authority = authority;
    this.anyCertificate = anyCertificate;
  }

  void apply(HttpsURLConnection connection) {
    if (authority == null && !anyCertificate) {
      return; // defaults of Java
    }
    if (context == null) {
      context = make();
    }
    connection.setSSLSocketFactory(context.getSocketFactory());
    if (anyCertificate) {
      connection.setHostnameVerifier((_, _) -> true);
    }
  }

  private SSLContext make() {
    try {
      SSLContext made = SSLContext.getInstance("TLS");
      made.init(
          null,
          anyCertificate
              ? new TrustManager[] {new TrustsAll()}
              : trusting(String.valueOf(authority)),
          null);
      return made;
    } catch (GeneralSecurityException e) {
      throw new CommandException("TLS cannot be used: " + e.getMessage(), e);
    }
  }

  private static TrustManager[] trusting(String file) throws GeneralSecurityException {
    try (InputStream in = Files.newInputStream(Path.of(file))) {
      Collection<? extends Certificate> certificates =
          CertificateFactory.getInstance("X.509").generateCertificates(in);
      if (certificates.isEmpty()) {
        throw new CommandException(
            "--certificate-authority " + file + " contains no PEM certificate");
      }
      KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
      store.load(null, null);
      int number = 0;
      for (Certificate certificate : certificates) {
        store.setCertificateEntry("authority-" + number++, certificate);
      }
      TrustManagerFactory managers =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      managers.init(store);
      return managers.getTrustManagers();
    } catch (NoSuchFileException e) {
      throw new CommandException("--certificate-authority " + file + ": no such file", e);
    } catch (IOException e) {
      throw new CommandException(
          "--certificate-authority " + file + " cannot be read: " + e.getMessage(), e);
    }
  }

  /** Trusts every certificate, for {@code --insecure-skip-tls-verify}. */
  private static final class TrustsAll extends X509ExtendedTrustManager {
    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

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
