// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal.route;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The proxy that the environment names, as client-go takes it: {@code HTTPS_PROXY} and {@code
 * HTTP_PROXY} by the scheme of the server, except for the servers of {@code NO_PROXY} and for the
 * loopback interface. Each name may be in small letters.
 *
 * <p>Thread rule: stateless.
 */
public final class ProxyEnvironment {

  private ProxyEnvironment() {}

  /**
   * Returns the proxy for a server, or null.
   *
   * @param https whether the server has TLS
   * @param host its host, an IPv6 address without brackets
   * @throws IllegalArgumentException when the variable is not the URL of a proxy
   */
  public static @Nullable ProxySettings proxy(
      Map<String, String> environment, boolean https, String host, int port) {
    String name = https ? "HTTPS_PROXY" : "HTTP_PROXY";
    String value = value(environment, name).strip();
    byte @Nullable [] address = address(host);
    if (value.isEmpty() || isLoopback(host, address)) {
      return null;
    }
    for (String entry : value(environment, "NO_PROXY").split(",", -1)) {
      if (matches(
          entry.strip().toLowerCase(Locale.ROOT), host.toLowerCase(Locale.ROOT), port, address)) {
        return null;
      }
    }
    try {
      return ProxySettings.parse(value.contains("://") ? value : "http://" + value);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "the variable " + name + " names no proxy: " + e.getMessage());
    }
  }

  private static String value(Map<String, String> environment, String name) {
    String value = environment.getOrDefault(name, "");
    return value.isEmpty() ? environment.getOrDefault(name.toLowerCase(Locale.ROOT), "") : value;
  }

  private static boolean isLoopback(String host, byte @Nullable [] address) {
    try {
      return host.equalsIgnoreCase("localhost")
          || (address != null && InetAddress.getByAddress(address).isLoopbackAddress());
    } catch (UnknownHostException e) {
      return false;
    }
  }

  /** Returns the bytes of an IP address, or null for a name, which is not resolved. */
  private static byte @Nullable [] address(String host) {
    if (!host.matches("[0-9.]+") && host.indexOf(':') < 0) {
      return null;
    }
    try {
      return InetAddress.ofLiteral(host).getAddress();
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  private static boolean matches(String entry, String host, int port, byte @Nullable [] address) {
    if (entry.equals("*")) {
      return true;
    }
    int slash = entry.indexOf('/');
    if (slash >= 0) {
      return address != null && contains(entry, slash, address);
    }
    String name = entry;
    String wantedPort = "";
    int colon = entry.lastIndexOf(':');
    if (colon >= 0 && (entry.indexOf(':') == colon || entry.charAt(colon - 1) == ']')) {
      name = entry.substring(0, colon);
      wantedPort = entry.substring(colon + 1);
    }
    if (name.startsWith("[") && name.endsWith("]")) {
      name = name.substring(1, name.length() - 1);
    }
    if (name.isEmpty() || !(wantedPort.isEmpty() || wantedPort.equals(Integer.toString(port)))) {
      return false;
    }
    byte @Nullable [] excepted = address(name);
    if (excepted != null) {
      return address != null && Arrays.equals(excepted, address);
    }
    String domain = name.startsWith("*.") ? name.substring(1) : name;
    return domain.startsWith(".")
        ? host.endsWith(domain)
        : host.equals(domain) || host.endsWith("." + domain);
  }

  private static boolean contains(String range, int slash, byte[] address) {
    byte @Nullable [] network = address(range.substring(0, slash));
    String bits = range.substring(slash + 1);
    if (network == null || network.length != address.length || !bits.matches("\\d{1,3}")) {
      return false;
    }
    int length = Integer.parseInt(bits);
    if (length > address.length * Byte.SIZE) {
      return false;
    }
    for (int i = 0; i < length; i++) {
      int mask = 0x80 >> (i % Byte.SIZE);
      if ((network[i / Byte.SIZE] & mask) != (address[i / Byte.SIZE] & mask)) {
        return false;
      }
    }
    return true;
  }
}
