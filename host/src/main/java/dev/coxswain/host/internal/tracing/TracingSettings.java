// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.tracing;

import static java.util.Objects.requireNonNullElse;

import dev.coxswain.host.internal.config.reader.Section;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The settings of tracing. What the section leaves open is read from the standard {@code OTEL_}
 * variables.
 *
 * <p>Thread rule: immutable.
 *
 * @param enabled whether attempts are traced
 * @param collector where spans are sent
 * @param samplingRatio the share of attempts that are recorded, from 0 to 1
 * @param queueSize the most spans that wait to be sent
 * @param resource attributes of this process, beside those that the host gives
 */
public record TracingSettings(
    boolean enabled,
    Collector collector,
    double samplingRatio,
    int queueSize,
    Map<String, String> resource) {

  private static final String DEFAULT_ENDPOINT = "http://127.0.0.1:4318/v1/traces";
  private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(10);
  private static final int DEFAULT_QUEUE = 4096;
  private static final int LEAST_QUEUE = 64;
  private static final int LARGEST_QUEUE = 1_000_000;
  private static final String SERVICE_NAME = "service.name";

  private static final Pattern ADDRESS =
      Pattern.compile(
          "https?://([A-Za-z0-9._-]{1,253}|\\[[0-9A-Fa-f:.]{2,45}])(:\\d{1,5})?(/[A-Za-z0-9._~/%-]*)?");
  private static final Pattern MILLIS = Pattern.compile("[1-9]\\d{0,8}");
  private static final Pattern RATIO = Pattern.compile("0|1|0?\\.\\d{1,9}|1\\.0{1,9}");

  /**
   * A collector that receives spans by OTLP over HTTP.
   *
   * @param endpoint the address of its traces
   * @param headers headers of each request; may hold a secret
   * @param certificate a PEM file with the certificates that it is trusted by, or null for those of
   *     the JDK
   * @param timeout how long a batch may take, with its repetitions
   */
  public record Collector(
      String endpoint,
      Map<String, String> headers,
      @Nullable String certificate,
      Duration timeout) {

    public Collector {
      headers = Map.copyOf(headers);
    }

    @Override
    public String toString() {
      return endpoint; // without the headers
    }
  }

  public TracingSettings {
    resource = Map.copyOf(resource);
  }

  /**
   * Reads the section.
   *
   * @param variables the environment of the process
   */
  public static TracingSettings read(Section section, Map<String, String> variables) {
    boolean enabled =
        section.flag("enabled", false)
            && !"true".equalsIgnoreCase(variables.get("OTEL_SDK_DISABLED"));
    String expected = "an address such as " + DEFAULT_ENDPOINT;
    String endpoint = section.text("endpoint", ADDRESS, expected);
    if (endpoint == null) {
      endpoint = endpoint(variables);
      if (enabled && !ADDRESS.matcher(endpoint).matches()) {
        section.fault("endpoint", expected + "; that of OTEL_EXPORTER_OTLP_ENDPOINT is none");
      }
    }
    String certificate =
        requireNonNullElse(section.text("certificate"), exporter(variables, "CERTIFICATE"));
    Collector collector =
        new Collector(
            endpoint,
            pairs(exporter(variables, "HEADERS")),
            certificate.isEmpty() ? null : certificate,
            section.duration("exportTimeout", Duration.ofMillis(1), timeout(variables)));
    Map<String, String> resource = pairs(variables.getOrDefault("OTEL_RESOURCE_ATTRIBUTES", ""));
    String service = variables.getOrDefault("OTEL_SERVICE_NAME", "");
    if (!service.isEmpty()) {
      resource.put(SERVICE_NAME, service);
    }
    return new TracingSettings(
        enabled,
        collector,
        section.number("samplingRatio", 0, 1, ratio(variables)),
        section.integer("queueSize", LEAST_QUEUE, LARGEST_QUEUE, DEFAULT_QUEUE),
        resource);
  }

  /** Returns a variable of the exporter, that of its traces first; empty when there is none. */
  private static String exporter(Map<String, String> variables, String name) {
    String traces = variables.getOrDefault("OTEL_EXPORTER_OTLP_TRACES_" + name, "");
    return traces.isEmpty()
        ? variables.getOrDefault("OTEL_EXPORTER_OTLP_" + name, "").strip()
        : traces.strip();
  }

  private static String endpoint(Map<String, String> variables) {
    String traces = variables.getOrDefault("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "");
    String base = exporter(variables, "ENDPOINT");
    if (!traces.isEmpty()) {
      return base;
    }
    return base.isEmpty() ? DEFAULT_ENDPOINT : base.replaceFirst("/+$", "") + "/v1/traces";
  }

  private static Duration timeout(Map<String, String> variables) {
    String millis = exporter(variables, "TIMEOUT");
    return MILLIS.matcher(millis).matches()
        ? Duration.ofMillis(Integer.parseInt(millis))
        : DEFAULT_TIMEOUT;
  }

  /** Returns the ratio of the standard sampler; attempts have no parent that could decide. */
  private static double ratio(Map<String, String> variables) {
    String argument = variables.getOrDefault("OTEL_TRACES_SAMPLER_ARG", "").strip();
    return switch (variables.getOrDefault("OTEL_TRACES_SAMPLER", "").strip()) {
      case "always_off", "parentbased_always_off" -> 0;
      case "traceidratio", "parentbased_traceidratio" ->
          RATIO.matcher(argument).matches() ? Double.parseDouble(argument) : 1;
      default -> 1;
    };
  }

  /** Parses {@code key=value,...} with percent-encoded values; skips what is malformed. */
  private static Map<String, String> pairs(String text) {
    Map<String, String> pairs = new LinkedHashMap<>();
    for (String pair : text.split(",", -1)) {
      int at = pair.indexOf('=');
      if (at > 0) {
        pairs.put(pair.substring(0, at).strip(), decoded(pair.substring(at + 1).strip()));
      }
    }
    return pairs;
  }

  private static String decoded(String value) {
    try {
      return URLDecoder.decode(value.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      return value;
    }
  }
}
