// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.webhooks;

import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.reconcile.Request;
import dev.coxswain.spi.Clock;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Secret;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The certificate in a Secret, shared by all replicas. Without a Secret the first replica makes one,
 * with an authority of our own. Such a Secret has a label, and its certificate is renewed; any other
 * is only read.
 *
 * <p>Thread rule: one thread at a time; blocks.
 */
final class CertificateStore {

  private static final Logger LOG = LoggerFactory.getLogger(CertificateStore.class);

  static final String CHAIN = "tls.crt";
  static final String KEY = "tls.key";
  static final String AUTHORITY = "ca.crt";
  static final String AUTHORITY_KEY = "ca.key";

  private static final String OWN_LABEL = "app.kubernetes.io/managed-by";
  private static final String OWN = "coxswain";

  /** A certificate is replaced this long before it expires. */
  static final Duration RENEWED_BEFORE = Duration.ofDays(120);

  private static final int ATTEMPTS = 5;
  private static final int CONFLICT = 409;

  private final Resource<V1Secret> secrets;
  private final Request key;
  private final List<String> names;
  private final Clock clock;

  /**
   * Creates the store.
   *
   * @param key the Secret
   * @param names the names and addresses by which API servers reach the server
   */
  CertificateStore(Resource<V1Secret> secrets, Request key, List<String> names, Clock clock) {
    this.secrets = secrets;
    this.key = key;
    this.names = List.copyOf(names);
    this.clock = clock;
  }

  /**
   * Reads the certificate, and makes or renews it when that is needed.
   *
   * @throws IOException when the Secret has no certificate, or it cannot be read
   * @throws ApiStatusException when the API server does not answer or refuses
   */
  WebhookCertificate load() throws IOException, GeneralSecurityException {
    for (int attempt = 1; ; attempt++) {
      Optional<V1Secret> found = secrets.get(key);
      try {
        V1Secret secret = found.isPresent() ? kept(found.get()) : secrets.create(made());
        return read(secret);
      } catch (ApiStatusException e) {
        if (e.code() != CONFLICT || attempt == ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  private WebhookCertificate read(V1Secret secret) throws IOException {
    return new WebhookCertificate(data(secret, CHAIN), data(secret, KEY), data(secret, AUTHORITY));
  }

  private byte[] data(V1Secret secret, String field) throws IOException {
    Map<String, byte[]> data = secret.getData();
    byte[] value = data == null ? null : data.get(field);
    if (value == null || value.length == 0) {
      throw new IOException("Secret " + key + " has no " + field);
    }
    return value;
  }

  private V1Secret made() throws IOException, GeneralSecurityException {
    V1Secret secret = new V1Secret();
    secret.setMetadata(
        new V1ObjectMeta()
            .namespace(key.namespace())
            .name(key.name())
            .labels(Map.of(OWN_LABEL, OWN)));
    secret.setType("kubernetes.io/tls");
    CertificateFactory factory = new CertificateFactory();
    renew(factory, secret, factory.authority(clock.instant()));
    LOG.atInfo().addKeyValue("secret", key).log("webhook certificate created");
    return secret;
  }

  private void renew(CertificateFactory factory, V1Secret secret, CertificateFactory.Pair authority)
      throws IOException, GeneralSecurityException {
    CertificateFactory.Pair server = factory.server(authority, names, clock.instant());
    Map<String, byte[]> data = new HashMap<>();
    data.put(CHAIN, bytes(server.certificate()));
    data.put(KEY, bytes(server.key()));
    data.put(AUTHORITY, bytes(authority.certificate()));
    data.put(AUTHORITY_KEY, bytes(authority.key()));
    secret.setData(data);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /** Returns the Secret, renewed when it is ours and its certificate does not serve any more. */
  private V1Secret kept(V1Secret secret) throws IOException, GeneralSecurityException {
    Map<String, String> labels = Objects.requireNonNull(secret.getMetadata()).getLabels();
    if (labels == null || !OWN.equals(labels.get(OWN_LABEL))) {
      return secret;
    }
    Instant until = clock.instant().plus(RENEWED_BEFORE);
    X509Certificate served = CertificateReader.parse(data(secret, CHAIN));
    X509Certificate authority = CertificateReader.parse(data(secret, AUTHORITY));
    boolean lasts = served.getNotAfter().toInstant().isAfter(until);
    if (lasts && CertificateReader.names(served).containsAll(names)) {
      return secret;
    }
    String authorityKey = new String(data(secret, AUTHORITY_KEY), StandardCharsets.US_ASCII);
    boolean authorityLasts = authority.getNotAfter().toInstant().isAfter(until);
    CertificateFactory factory = new CertificateFactory();
    renew(
        factory,
        secret,
        authorityLasts
            ? new CertificateFactory.Pair(
                new String(data(secret, AUTHORITY), StandardCharsets.US_ASCII), authorityKey)
            : factory.authority(clock.instant()));
    LOG.atInfo().addKeyValue("secret", key).log("webhook certificate renewed");
    return secrets.update(secret);
  }

  /** Returns whether two certificates are the same; null is none. */
  static boolean same(@Nullable WebhookCertificate one, WebhookCertificate other) {
    return one != null && one.same(other);
  }
}
