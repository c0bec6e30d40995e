// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.config;

import dev.coxswain.host.internal.config.CoxswainConfiguration.Listener;
import dev.coxswain.host.internal.config.reader.Section;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The settings of the metrics port.
 *
 * <p>Thread rule: immutable.
 *
 * @param listener where it listens
 * @param auth who may scrape
 * @param tls its certificate, or null for plain HTTP
 */
public record MetricsSettings(Listener listener, Auth auth, @Nullable TlsFiles tls) {

  private static final Pattern AUDIENCE = Pattern.compile("[\\x21-\\x7e]{0,253}");

  /** The authority on scrapers. */
  public enum Mode {
    /** No authentication: any client that reaches the port may scrape. */
    NONE,
    /** Token and access reviews of the API server, for {@code get} on the path of the metrics. */
    KUBERNETES
  }

  /**
   * Authentication and authorization of scrapers.
   *
   * @param mode the authority
   * @param audience the audience of tokens; empty for that of the API server
   */
  public record Auth(Mode mode, String audience) {}

  static MetricsSettings read(Section section) {
    Listener listener =
        ConfigurationLoader.address(section, CoxswainConfiguration.DEFAULT_METRICS_PORT);
    Auth auth = section.section("auth", MetricsSettings::auth);
    TlsFiles tls = section.section("tls", TlsFiles::read);
    if (auth.mode() != Mode.NONE && tls == null && !AdminSection.isLoopback(listener)) {
      section.fault(
          "host",
          "a loopback address such as 127.0.0.1, or a certificate in metrics.tls: without TLS"
              + " tokens could be intercepted");
    }
    return new MetricsSettings(listener, auth, tls);
  }

  private static Auth auth(Section section) {
    return new Auth(
        section.oneOf("mode", Mode.NONE),
        section.text("audience", AUDIENCE, "the audience of tokens", ""));
  }
}
