// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal.access;

import java.io.IOException;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.X509TrustManager;
import okhttp3.Headers;
import okhttp3.Interceptor;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.internal.http.ExchangeCodec;
import org.jspecify.annotations.Nullable;

/**
 * Adds the credential and fixed headers to each request. A request that the server refuses with 401
 * was not carried out; when there is a newer credential it is sent once more with it.
 *
 * <p>Thread rule: any thread that may block.
 */
final class AuthenticatedRequests implements Interceptor {

  private static final int UNAUTHORIZED = 401;

  private final CredentialSource source;
  private final Headers fixed;
  private final @Nullable X509TrustManager trust;

  /**
   * Creates the interceptor.
   *
   * @param fixed headers of all requests
   * @param trust trusts the certificate of the server; null without TLS
   */
  AuthenticatedRequests(CredentialSource source, Headers fixed, @Nullable X509TrustManager trust) {
    this.source = source;
    this.fixed = fixed;
    this.trust = trust;
  }

  @Override
  public Response intercept(Chain chain) throws IOException {
    Credential credential = source.current();
    Response response = send(chain, credential);
    if (response.code() != UNAUTHORIZED) {
      source.accepted(credential);
      return response;
    }
    Credential newer;
    try {
      newer = source.renewed(credential);
    } catch (IOException e) {
      response.close();
      throw e;
    }
    if (newer == null) {
      return response;
    }
    response.close();
    Response second = send(chain, newer);
    if (second.code() != UNAUTHORIZED) {
      source.accepted(newer);
    }
    return second;
  }

  /**
   * Ends the use of a connection whose client certificate was refused: a call goes on with the
   * connection that it has, whatever certificate it should present. What runs on it goes on.
   */
  static Response leaveRefused(Chain chain) throws IOException {
    Response response = chain.proceed(chain.request());
    if (response.code() == UNAUTHORIZED
        && chain.connection() instanceof ExchangeCodec.Carrier connection
        && response.handshake() != null
        && response.handshake().localPrincipal() != null) {
      connection.noNewExchanges();
    }
    return response;
  }

  private Response send(Chain chain, Credential credential) throws IOException {
    Request.Builder request = chain.request().newBuilder();
    Headers.Builder headers = chain.request().headers().newBuilder();
    for (int i = 0; i < fixed.size(); i++) {
      headers.addUnsafeNonAscii(fixed.name(i), fixed.value(i));
    }
    if (!credential.authorization().isEmpty()) {
      headers.set("Authorization", credential.authorization());
    }
    SSLSocketFactory sockets = credential.sockets();
    // Connections are shared by requests with the same factory only: another certificate gets
    // connections of its own.
    Chain with =
        sockets == null || trust == null ? chain : chain.withSslSocketFactory(sockets, trust);
    return with.proceed(request.headers(headers.build()).build());
  }
}
