// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.marcnuri.helm.Helm;
import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.host.e2e.process.ApiCalls;
import dev.coxswain.host.e2e.process.RenderedChart;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The certificate of the admin API that the chart makes; ChartIT serves it. */
@Timeout(120)
class ChartCertificateIT {

  private static final String SECRET = "/api/v1/namespaces/default/secrets/coxswain-admin-tls";

  @TempDir private Path folder;

  @Test
  void certManager_isGivenNamesOfTheService_andAnIssuer() throws Exception {
    var chart = RenderedChart.template().set("admin.certificate.from", "cert-manager");
    List<JsonNode> plain = RenderedChart.objects(chart);
    JsonNode spec = RenderedChart.one(plain, "Certificate", "coxswain-admin").path("spec");
    assertThat(spec.path("dnsNames").toString())
        .isEqualTo(
            "[\"coxswain-admin\",\"coxswain-admin.default\",\"coxswain-admin.default.svc\","
                + "\"localhost\"]");
    assertThat(spec.at("/issuerRef/kind").asText()).isEqualTo("Issuer");
    assertThat(RenderedChart.one(plain, "Issuer", spec.at("/issuerRef/name").asText())).isNotNull();
    JsonNode pod = RenderedChart.one(plain, "Deployment", "coxswain").at("/spec/template/spec");
    assertThat(pod.toString())
        .contains("{\"secretName\":" + spec.path("secretName") + "}")
        .contains("{\"name\":\"admin\",\"containerPort\":8090}");

    List<JsonNode> own =
        RenderedChart.objects(
            chart
                .set("admin.certificate.issuer.kind", "ClusterIssuer")
                .set("admin.certificate.issuer.name", "internal"));
    assertThat(RenderedChart.kinds(own)).doesNotContain("Issuer");
    assertThat(
            RenderedChart.one(own, "Certificate", "coxswain-admin")
                .at("/spec/issuerRef")
                .toString())
        .isEqualTo("{\"kind\":\"ClusterIssuer\",\"name\":\"internal\"}");
  }

  @Test
  void aSecretOfYourOwn_andAMadeOne_areRefusedTogether() {
    assertThatThrownBy(() ->
            RenderedChart.template()
                .set("admin.certificate.from", "helm")
                .set("admin.tlsSecret", "mine")
                .call())
        .hasMessageContaining("set one of them");
  }

  /** By Helm itself, in the API server in memory. */
  @Test
  void anUpgrade_keepsTheCertificate_untilTheLastThirdOfItsTime() throws Exception {
    try (EmbeddedApiServer server =
            EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
        ApiCalls api = new ApiCalls(server, "none")) {
      Path kubeconfig = RenderedChart.install(server, folder);
      JsonNode first = api.get(SECRET);
      upgrade(kubeconfig);
      assertThat(api.get(SECRET).path("data")).isEqualTo(first.path("data"));

      long soon = System.currentTimeMillis() / 1000 + 30L * 24 * 3600;
      api.patch(
          SECRET,
          "{\"metadata\":{\"annotations\":{\"coxswain.dev/expires\":\"%d\"}}}".formatted(soon));
      upgrade(kubeconfig);
      JsonNode renewed = api.get(SECRET);
      assertThat(renewed.at("/data/tls.crt")).isNotEqualTo(first.at("/data/tls.crt"));
      assertThat(renewed.at("/metadata/annotations/coxswain.dev~1expires").asLong())
          .isGreaterThan(soon);
    }
  }

  private static void upgrade(Path kubeconfig) {
    new Helm(RenderedChart.CHART)
        .upgrade()
        .withName("coxswain")
        .withNamespace("default")
        .withKubeConfig(kubeconfig)
        .reuseValues()
        .call();
  }
}
