// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.json;

import java.net.InetAddress;
import java.util.Locale;
import java.util.regex.Pattern;

/** Recognizes loopback names and addresses, without a name server. */
public final class Loopback {

  private static final Pattern PORT = Pattern.compile(":[0-9]{1,5}");

  private Loopback() {}

  /** Returns whether a host, without a port, is {@code localhost} or a loopback literal. */
  public static boolean isLoopback(String host) {
    String name = host.toLowerCase(Locale.ROOT);
    if (name.equals("localhost")) {
      return true;
    }
    try {
      return InetAddress.ofLiteral(name).isLoopbackAddress();
    } catch (IllegalArgumentException e) {
      return false; // a name; it is refused, whatever it resolves to
    }
  }

  /** Returns whether the value of a Host header names a loopback host, with or without a port. */
  public static boolean isLoopbackAuthority(String authority) {
    int end;
    String host;
    if (authority.startsWith("[")) {
      end = authority.indexOf(']') + 1;
      if (end == 0) {
        return false;
      }
      host = authority.substring(1, end - 1);
      if (host.indexOf(':') < 0) {
        return false;
      }
    } else {
      int colon = authority.indexOf(':');
      end = colon < 0 ? authority.length() : colon;
      host = authority.substring(0, end);
    }
    String rest = authority.substring(end);
    return isLoopback(host) && (rest.isEmpty() || PORT.matcher(rest).matches());
  }
}
