// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.webhooks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.reconcile.Request;
import dev.coxswain.spi.Clock;
import dev.coxswain.testkit.VirtualTime;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Secret;
import java.io.IOException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The certificate in a Secret: made once, kept while it serves, renewed under the same authority. */
class CertificateStoreTest {

  private static final Request KEY = Request.of("default", "hooks");

  private final VirtualTime time = new VirtualTime();
  private EmbeddedApiServer server;
  private Kubernetes kubernetes;
  private Resource<V1Secret> secrets;

  @BeforeEach
  void start() {
    server = EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
    kubernetes = Kubernetes.at(server.url(), KubernetesOptions.DEFAULT);
    secrets = kubernetes.resource(V1Secret.class);
  }

  @AfterEach
  void stop() {
    kubernetes.close();
    server.close();
  }

  private CertificateStore store(Clock clock, String... names) {
    return new CertificateStore(secrets, KEY, List.of(names), clock);
  }

  private X509Certificate served() throws Exception {
    Map<String, byte[]> data = Objects.requireNonNull(secrets.get(KEY).orElseThrow().getData());
    return CertificateReader.parse(Objects.requireNonNull(data.get(CertificateStore.CHAIN)));
  }

  @Test
  void withoutASecret_oneIsMade_andKept() throws Exception {
    WebhookCertificate made = store(time, "hook.shop.svc", "127.0.0.1").load();

    assertThat(store(time, "hook.shop.svc").load().same(made)).isTrue();
    assertThat(CertificateReader.names(served()))
        .containsExactlyInAnyOrder("hook.shop.svc", "127.0.0.1");
    served().verify(CertificateReader.parse(made.authority()).getPublicKey());
  }

  @Test
  void beforeItExpires_andForANewName_itIsRenewedUnderTheSameAuthority() throws Exception {
    WebhookCertificate made = store(time, "hook.shop.svc").load();
    time.advance(
        CertificateFactory.LIFE.minus(CertificateStore.RENEWED_BEFORE).plus(Duration.ofHours(1)));

    WebhookCertificate renewed = store(time, "hook.shop.svc").load();
    WebhookCertificate named = store(time, "other.shop.svc").load();

    assertThat(renewed.same(made)).isFalse();
    assertThat(renewed.authority()).isEqualTo(made.authority());
    assertThat(named.authority()).isEqualTo(made.authority());
    assertThat(CertificateReader.names(served())).containsExactly("other.shop.svc");
  }

  @Test
  void aSecretOfOthers_isReadAndNeverWritten() throws Exception {
    WebhookCertificate made = store(time, "hook.shop.svc").load();
    V1Secret secret = secrets.get(KEY).orElseThrow();
    Objects.requireNonNull(secret.getMetadata()).setLabels(Map.of());
    String version = version(secrets.update(secret));

    assertThat(store(time, "another.shop.svc").load().same(made)).isTrue();
    assertThat(version(secrets.get(KEY).orElseThrow())).isEqualTo(version);
  }

  private static String version(V1Secret secret) {
    return String.valueOf(Objects.requireNonNull(secret.getMetadata()).getResourceVersion());
  }

  @Test
  void aSecretWithoutACertificate_isRefusedWithTheMissingField() {
    secrets.create(
        new V1Secret()
            .metadata(new V1ObjectMeta().namespace(KEY.namespace()).name(KEY.name()))
            .data(Map.of("other", new byte[] {1})));

    assertThatThrownBy(() -> store(time, "hook.shop.svc").load())
        .isInstanceOf(IOException.class)
        .hasMessage("Secret default/hooks has no tls.crt");
  }
}
