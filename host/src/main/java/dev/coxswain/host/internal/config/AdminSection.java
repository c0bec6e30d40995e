// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.config;

import static java.util.Objects.requireNonNullElse;

import dev.coxswain.admin.auth.AccessLevel;
import dev.coxswain.host.internal.config.AdminSettings.Auth;
import dev.coxswain.host.internal.config.AdminSettings.Mode;
import dev.coxswain.host.internal.config.reader.Section;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Reader of the section {@code admin}; refuses addresses of the network without TLS or
 * authentication.
 */
final class AdminSection {

  private static final Pattern LOOPBACK = Pattern.compile("127(\\.\\d{1,3}){3}|localhost|::1");
  private static final Pattern AUDIENCE = Pattern.compile("[\\x21-\\x7e]{1,253}");

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
    return new AdminSettings(listener, requireNonNullElse(access, AccessLevel.FULL), auth, tls);
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
