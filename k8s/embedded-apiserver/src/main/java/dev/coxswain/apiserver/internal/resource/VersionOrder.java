// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.resource;

import java.util.Comparator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Order of API versions: stable before beta before alpha, higher first, anything else last by name.
 */
public final class VersionOrder {
  private static final Pattern VERSION =
      Pattern.compile("^v(\\d{1,9})(?:(alpha|beta)(\\d{1,9}))?$");

  /** Newest and most stable first. */
  public static final Comparator<String> NEWEST_FIRST = VersionOrder::compare;

  private VersionOrder() {}

  private static int compare(String a, String b) {
    Matcher x = VERSION.matcher(a);
    Matcher y = VERSION.matcher(b);
    boolean xs = x.matches();
    boolean ys = y.matches();
    if (!xs || !ys) {
      return xs == ys ? a.compareTo(b) : xs ? -1 : 1;
    }
    int stage = Integer.compare(stage(y), stage(x));
    if (stage != 0) {
      return stage;
    }
    int major = Integer.compare(number(y.group(1)), number(x.group(1)));
    return major != 0 ? major : Integer.compare(number(y.group(3)), number(x.group(3)));
  }

  private static int stage(Matcher matcher) {
    String name = matcher.group(2);
    return name == null ? 2 : name.equals("beta") ? 1 : 0;
  }

  private static int number(String text) {
    return text == null ? 0 : Integer.parseInt(text);
  }
}
