// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal.access;

import dev.coxswain.k8s.internal.AccessException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import okhttp3.Headers;

/**
 * The headers by which requests are made in the name of another user.
 *
 * <p>Thread rule: stateless.
 */
final class ImpersonationHeaders {

  private static final String EXTRA = "Impersonate-Extra-";

  private ImpersonationHeaders() {}

  /** Returns the headers of the {@code as} fields of a user; none when there are none. */
  static Headers of(KubeconfigSection user) throws AccessException {
    String name = user.text("as");
    String uid = user.text("as-uid");
    List<String> groups = user.texts("as-groups");
    Map<String, List<String>> extra = user.textLists("as-user-extra");
    if (name.isEmpty() && !(uid.isEmpty() && groups.isEmpty() && extra.isEmpty())) {
      throw user.error("as-uid, as-groups and as-user-extra need the name of the user in \"as\"");
    }
    Headers.Builder headers = new Headers.Builder();
    if (!name.isEmpty()) {
      add(user, headers, "Impersonate-User", name);
    }
    if (!uid.isEmpty()) {
      add(user, headers, "Impersonate-Uid", uid);
    }
    for (String group : groups) {
      add(user, headers, "Impersonate-Group", group);
    }
    for (Map.Entry<String, List<String>> each : extra.entrySet()) {
      if (each.getKey().isEmpty()) {
        throw user.error("as-user-extra has an empty key");
      }
      for (String value : each.getValue()) {
        add(user, headers, EXTRA + encoded(each.getKey()), value);
      }
    }
    return headers.build();
  }

  private static void add(
      KubeconfigSection user, Headers.Builder headers, String header, String value)
      throws AccessException {
    // White space at an end would be removed on the way: that is another user.
    if (value.isEmpty()
        || !value.strip().equals(value)
        || value.chars().anyMatch(Character::isISOControl)) {
      throw user.error("the value of " + header + " is empty, or not possible in a header");
    }
    headers.addUnsafeNonAscii(header, value);
  }

  /** Percent-encodes what may not be in the name of a header, as client-go does. */
  private static String encoded(String key) {
    StringBuilder name = new StringBuilder();
    for (byte each : key.getBytes(StandardCharsets.UTF_8)) {
      char c = (char) (each & 0xff);
      boolean alphanumeric =
          (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
      if (alphanumeric || "!#$&'*+-.^_`|~".indexOf(c) >= 0) {
        name.append(c);
      } else {
        name.append(String.format(Locale.ROOT, "%%%02X", (int) c));
      }
    }
    return name.toString();
  }
}
