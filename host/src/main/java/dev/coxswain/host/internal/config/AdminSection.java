// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.config;

import static java.util.Objects.requireNonNullElse;

import dev.coxswain.admin.auth.AccessLevel;
import dev.coxswain.host.internal.config.AdminSettings.Auth;
import dev.coxswain.host.internal.config.AdminSettings.Mode;
import dev.coxswain.host.internal.config.reader.Section;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Reader of the section {@code admin}; refuses addresses of the network without TLS or
 * authentication.
 */
final class AdminSection {

  private static final Pattern LOOPBACK = Pattern.compile("127(\\.\\d{1,3}){3}|localhost|::1");
  private static final Pattern AUDIENCE = Pattern.compile("[\\x21-\\x7e]{1,253}");

  /** Without quotes, brackets and spaces. The chart's schema has it, too: for Java and for RE2. */
  private static final Pattern LINK =
      Pattern.compile(
          "https?://([!#-&(-;=?-\\[\\]_a-z|~]|\\{(traceId|attempt|controller|namespace|name|replica)\\}){1,1000}");

  private AdminSection() {}

  static AdminSettings read(Section section) {
    CoxswainConfiguration.Listener listener =
        ConfigurationLoader.address(section, CoxswainConfiguration.DEFAULT_ADMIN_PORT);
    AccessLevel access = section.oneOf("access", List.of(AccessLevel.values()), AccessLevel::label);
    Auth auth = section.section("auth", AdminSection::auth);
    TlsFiles tls = section.section("tls", TlsFiles::read);
    boolean loopback = isLoopback(listener);
    if (!loopback && tls == null) {
      section.fault(
          "host",
          "a loopback address such as 127.0.0.1, or a certificate in admin.tls: without TLS"
              + " tokens could be intercepted");
    }
    if (!loopback && auth.effectiveMode() == Mode.NONE) {
      section.fault(
          "host",
          "a loopback address such as 127.0.0.1, or another admin.auth.mode than none: without"
              + " authentication every client could do everything");
    }
    Map<String, String> links = section.section("links", AdminSection::links);
    return new AdminSettings(
        listener, requireNonNullElse(access, AccessLevel.FULL), auth, tls, links);
  }

  private static Map<String, String> links(Section section) {
    Map<String, String> links = new HashMap<>();
    for (String name : List.of("trace", "logs")) {
      String template =
          section.text(name, LINK, "an address such as https://traces.example.com/trace/{traceId}");
      if (template != null) {
        links.put(name, template);
      }
    }
    return links;
  }

  private static Auth auth(Section section) {
    Auth result =
        new Auth(
            section.oneOf("mode", Mode.class),
            section.text(
                "audience", AUDIENCE, "the audience of tokens", AdminSettings.DEFAULT_AUDIENCE),
            section.text("tokenFile"));
    boolean fromFile = result.effectiveMode() == Mode.TOKEN_FILE;
    if (fromFile && result.tokenFile() == null) {
      section.fault("tokenFile", "a file with the tokens, because mode is tokenFile");
    } else if (!fromFile && result.tokenFile() != null) {
      section.fault("tokenFile", "nothing, unless mode is tokenFile");
    }
    return result;
  }

  static boolean isLoopback(CoxswainConfiguration.Listener listener) {
    return LOOPBACK.matcher(listener.host()).matches();
  }
}
