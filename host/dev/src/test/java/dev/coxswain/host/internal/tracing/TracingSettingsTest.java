// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.tracing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.host.internal.config.ConfigurationLoader;
import dev.coxswain.host.internal.config.reader.ConfigurationException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TracingSettingsTest {

  private static TracingSettings load(Map<String, String> environment, String... settings)
      throws ConfigurationException {
    return ConfigurationLoader.load(null, environment, List.of(settings)).tracing();
  }

  @Test
  void tracing_isOff_andWouldUseALocalCollector() throws Exception {
    TracingSettings settings = load(Map.of());
    assertThat(settings.enabled()).isFalse();
    assertThat(settings.collector())
        .isEqualTo(
            new TracingSettings.Collector(
                "http://127.0.0.1:4318/v1/traces", Map.of(), null, Duration.ofSeconds(10)));
    assertThat(settings.samplingRatio()).isEqualTo(1);
    assertThat(settings.queueSize()).isEqualTo(4096);
  }

  @Test
  void standardVariables_fillWhatTheConfigurationLeavesOpen() throws Exception {
    TracingSettings settings =
        load(
            Map.of(
                "OTEL_EXPORTER_OTLP_ENDPOINT", "https://collector:4318/",
                "OTEL_EXPORTER_OTLP_HEADERS", "api-key=a%3Db, other = 1+1 ,broken",
                "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "2500",
                "OTEL_EXPORTER_OTLP_CERTIFICATE", "/ca.pem",
                "OTEL_TRACES_SAMPLER", "parentbased_traceidratio",
                "OTEL_TRACES_SAMPLER_ARG", "0.25",
                "OTEL_SERVICE_NAME", "mine",
                "OTEL_RESOURCE_ATTRIBUTES", "service.name=other,team=a%20b"),
            "tracing.enabled=true");
    assertThat(settings.collector())
        .isEqualTo(
            new TracingSettings.Collector(
                "https://collector:4318/v1/traces",
                Map.of("api-key", "a=b", "other", "1+1"),
                "/ca.pem",
                Duration.ofMillis(2500)));
    assertThat(settings.collector().toString()).doesNotContain("a=b");
    assertThat(settings.samplingRatio()).isEqualTo(0.25);
    assertThat(settings.resource()).isEqualTo(Map.of("service.name", "mine", "team", "a b"));
  }

  @Test
  void theConfiguration_winsOverTheVariables() throws Exception {
    TracingSettings settings =
        load(
            Map.of(
                "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://other/path",
                "OTEL_TRACES_SAMPLER", "always_off"),
            "tracing.endpoint=http://127.0.0.1:9/mine",
            "tracing.samplingRatio=0.5");
    assertThat(settings.collector().endpoint()).isEqualTo("http://127.0.0.1:9/mine");
    assertThat(settings.samplingRatio()).isEqualTo(0.5);
    assertThat(load(Map.of("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://other/path")))
        .returns("http://other/path", one -> one.collector().endpoint());
    assertThat(load(Map.of("OTEL_TRACES_SAMPLER", "always_off")).samplingRatio()).isZero();
    assertThat(load(Map.of("OTEL_SDK_DISABLED", "true"), "tracing.enabled=true").enabled())
        .isFalse();
  }

  @Test
  void anAddressThatIsNone_isRefused_alsoFromAVariable() {
    assertThatThrownBy(() -> load(Map.of(), "tracing.endpoint=collector:4317"))
        .hasMessageContaining("tracing.endpoint");
    assertThatThrownBy(() ->
            load(Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4317"), "tracing.enabled=true"))
        .hasMessageContaining("tracing.endpoint")
        .hasMessageContaining("OTEL_EXPORTER_OTLP_ENDPOINT");
  }
}
