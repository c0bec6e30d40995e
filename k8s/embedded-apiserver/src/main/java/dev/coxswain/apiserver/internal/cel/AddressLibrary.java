// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.cel;

import static dev.cel.common.types.SimpleType.BOOL;
import static dev.cel.common.types.SimpleType.INT;
import static dev.cel.common.types.SimpleType.STRING;
import static dev.coxswain.apiserver.internal.cel.OpaqueTypes.CIDR;
import static dev.coxswain.apiserver.internal.cel.OpaqueTypes.IP;

import dev.coxswain.apiserver.internal.status.Formats;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;

/** IP addresses and blocks of them, without zones and without IPv4 inside IPv6; any thread. */
final class AddressLibrary {
  private static final int V4_BYTES = 4;

  /** An address. */
  record Ip(List<Byte> bytes) {
    static Ip of(Object given) {
      if (given instanceof Ip ip) {
        return ip;
      }
      String text = (String) given;
      if (!Formats.valid("ipv4", text) && !Formats.valid("ipv6", text)) {
        throw new IllegalArgumentException(
            "IP Address '" + text + "' parse error during conversion from string");
      }
      if (text.indexOf(':') >= 0 && text.indexOf('.') >= 0) {
        throw new IllegalArgumentException("IPv4-mapped IPv6 address is not allowed");
      }
      try {
        return of(InetAddress.getByName(text).getAddress()); // a literal, so nothing is resolved
      } catch (UnknownHostException e) {
        throw new IllegalArgumentException(e);
      }
    }

    private static Ip of(byte[] address) {
      Byte[] bytes = new Byte[address.length];
      Arrays.setAll(bytes, i -> address[i]);
      return new Ip(List.of(bytes));
    }

    private boolean v4() {
      return bytes.size() == V4_BYTES;
    }

    private InetAddress address() {
      byte[] raw = new byte[bytes.size()];
      for (int i = 0; i < raw.length; i++) {
        raw[i] = bytes.get(i);
      }
      try {
        return InetAddress.getByAddress(raw);
      } catch (UnknownHostException e) {
        throw new IllegalArgumentException(e);
      }
    }

    /** Returns the address whose bits after the first {@code bits} are zero. */
    private Ip masked(int bits) {
      byte[] raw = new byte[bytes.size()];
      for (int i = 0; i < raw.length; i++) {
        int kept = Math.clamp(bits - 8L * i, 0, 8);
        raw[i] = (byte) (bytes.get(i) & (0xff00 >> kept));
      }
      return of(raw);
    }

    private boolean multicastOfLink() {
      InetAddress address = address();
      int second = bytes.get(1);
      return v4()
          ? bytes.get(0) == (byte) 224 && second == 0 && bytes.get(2) == 0
          : address.isMulticastAddress() && (second & 0xf) == 2;
    }

    private boolean global() {
      InetAddress address = address();
      boolean broadcast = v4() && bytes.stream().allMatch(b -> b == (byte) 0xff);
      return !broadcast
          && !address.isAnyLocalAddress()
          && !address.isLoopbackAddress()
          && !address.isMulticastAddress()
          && !address.isLinkLocalAddress();
    }

    /** The canonical form: the longest run of two zero groups or more is left out. */
    @Override
    public String toString() {
      if (v4()) {
        return address().getHostAddress();
      }
      int[] groups = new int[8];
      Arrays.setAll(groups, i -> ((bytes.get(2 * i) & 0xff) << 8) | (bytes.get(2 * i + 1) & 0xff));
      int start = -1;
      int longest = 1;
      for (int i = 0; i < groups.length; i++) {
        int end = i;
        while (end < groups.length && groups[end] == 0) {
          end++;
        }
        if (end - i > longest) {
          start = i;
          longest = end - i;
        }
      }
      StringBuilder out = new StringBuilder();
      for (int i = 0; i < groups.length; i++) {
        if (i == start) {
          out.append("::");
          i += longest - 1;
        } else {
          out.append(out.isEmpty() || out.charAt(out.length() - 1) == ':' ? "" : ":")
              .append(Integer.toHexString(groups[i]));
        }
      }
      return out.toString();
    }
  }

  /** A block of addresses; the address may have bits after the prefix. */
  record Cidr(Ip ip, int bits) {
    static Cidr of(Object given) {
      if (given instanceof Cidr cidr) {
        return cidr;
      }
      String text = (String) given;
      if (!Formats.valid("cidr", text)) {
        throw new IllegalArgumentException(
            "network address parse error during conversion from string: '" + text + "'");
      }
      int slash = text.indexOf('/');
      return new Cidr(Ip.of(text.substring(0, slash)), Integer.parseInt(text.substring(slash + 1)));
    }

    private boolean contains(Ip other) {
      return other.v4() == ip.v4() && other.masked(bits).equals(ip.masked(bits));
    }

    @Override
    public String toString() {
      return ip + "/" + bits;
    }
  }

  private AddressLibrary() {}

  static void addTo(CelLibrary library) {
    library.function("ip", IP, List.of(STRING), a -> Ip.of(a[0]));
    library.function("isIP", BOOL, List.of(STRING), a -> parses(() -> Ip.of(a[0])));
    library.function(
        "ip.isCanonical", BOOL, List.of(STRING), a -> Ip.of(a[0]).toString().equals(a[0]));
    library.function("string", STRING, List.of(IP), a -> a[0].toString());
    library.method("family", INT, List.of(IP), a -> ((Ip) a[0]).v4() ? 4L : 6L);
    test(library, "isUnspecified", ip -> ip.address().isAnyLocalAddress());
    test(library, "isLoopback", ip -> ip.address().isLoopbackAddress());
    test(library, "isLinkLocalUnicast", ip -> ip.address().isLinkLocalAddress());
    test(library, "isLinkLocalMulticast", Ip::multicastOfLink);
    test(library, "isGlobalUnicast", Ip::global);
    library.function("cidr", CIDR, List.of(STRING), a -> Cidr.of(a[0]));
    library.function("isCIDR", BOOL, List.of(STRING), a -> parses(() -> Cidr.of(a[0])));
    library.function("string", STRING, List.of(CIDR), a -> a[0].toString());
    library.method("ip", IP, List.of(CIDR), a -> ((Cidr) a[0]).ip);
    library.method("prefixLength", INT, List.of(CIDR), a -> (long) ((Cidr) a[0]).bits);
    library.method(
        "masked",
        CIDR,
        List.of(CIDR),
        a -> {
          Cidr cidr = (Cidr) a[0];
          return new Cidr(cidr.ip.masked(cidr.bits), cidr.bits);
        });
    for (var other : List.of(STRING, IP)) {
      library.method(
          "containsIP", BOOL, List.of(CIDR, other), a -> ((Cidr) a[0]).contains(Ip.of(a[1])));
    }
    for (var other : List.of(STRING, CIDR)) {
      library.method(
          "containsCIDR",
          BOOL,
          List.of(CIDR, other),
          a -> {
            Cidr inner = Cidr.of(a[1]);
            return ((Cidr) a[0]).bits <= inner.bits && ((Cidr) a[0]).contains(inner.ip);
          });
    }
  }

  private static void test(CelLibrary library, String name, Predicate<Ip> test) {
    library.method(name, BOOL, List.of(IP), a -> test.test((Ip) a[0]));
  }

  private static boolean parses(Runnable parser) {
    try {
      parser.run();
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }
}
