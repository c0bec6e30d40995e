// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.config;

import dev.coxswain.host.internal.config.WebhookSettings.Tls;
import dev.coxswain.host.internal.config.reader.Section;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reader of the section {@code webhooks}. */
final class WebhookSection {

  private static final Pattern SERVICE =
      Pattern.compile("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?/[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?");
  private static final Pattern URL =
      Pattern.compile("https://([A-Za-z0-9.-]{1,253}|\\[[0-9A-Fa-f:.]{2,45}])(:\\d{1,5})?");

  private WebhookSection() {}

  static WebhookSettings read(Section section) {
    CoxswainConfiguration.Listener listener =
        ConfigurationLoader.address(section, WebhookSettings.DEFAULT_PORT);
    String service = section.text("service", SERVICE, "a Service as NAMESPACE/NAME");
    String url = section.text("url", URL, "an address such as https://10.0.0.3:9443");
    if (service != null && url != null) {
      section.fault("url", "nothing, because there is a service");
    }
    return new WebhookSettings(
        listener,
        service,
        url,
        section.text(
            "secret",
            ConfigurationLoader.DNS_NAME,
            "the name of a Secret",
            WebhookSettings.DEFAULT_SECRET),
        section.section("tls", WebhookSection::tls));
  }

  private static @Nullable Tls tls(Section section) {
    String certificate = section.text("certificate");
    String key = section.text("key");
    String authority = section.text("authority");
    if ((certificate == null) != (key == null)) {
      section.fault(
          certificate == null ? "certificate" : "key", "a file: certificate and key go together");
    } else if (certificate == null && authority != null) {
      section.fault("authority", "nothing, unless there is a certificate");
    }
    return certificate == null || key == null ? null : new Tls(certificate, key, authority);
  }
}
