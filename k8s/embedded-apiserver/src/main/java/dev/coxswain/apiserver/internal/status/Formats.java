// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.status;

import java.net.URI;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.util.Base64;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/** The formats of texts that an API server evaluates; others mean nothing. Any thread. */
public final class Formats {
  private static final String HEX_12 = "[0-9A-F]{12}";

  private static final Map<String, Predicate<String>> KNOWN =
      Map.ofEntries(
          Map.entry("bsonobjectid", pattern("[0-9a-f]{24}")),
          Map.entry("byte", Formats::base64),
          Map.entry("cidr", Formats::cidr),
          Map.entry("creditcard", Formats::card),
          Map.entry("date", text -> parses(() -> LocalDate.parse(text))),
          Map.entry("date-time", text -> parses(() -> OffsetDateTime.parse(text))),
          Map.entry("datetime", text -> parses(() -> OffsetDateTime.parse(text))),
          Map.entry("duration", Formats::duration),
          Map.entry("email", pattern("[^@\\s]+@[^@\\s]+")),
          Map.entry("hexcolor", pattern("#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})")),
          Map.entry("hostname", Formats::hostname),
          Map.entry("ipv4", Formats::ipv4),
          Map.entry("ipv6", text -> text.indexOf(':') >= 0 && address(text)),
          Map.entry("isbn", text -> isbn10(text) || isbn13(text)),
          Map.entry("isbn10", Formats::isbn10),
          Map.entry("isbn13", Formats::isbn13),
          Map.entry("k8s-long-name", text -> Names.subdomain(text).isEmpty()),
          Map.entry("k8s-short-name", text -> Names.label(text).isEmpty()),
          Map.entry("mac", Formats::mac),
          Map.entry("rgbcolor", Formats::color),
          Map.entry("ssn", pattern("\\d{3}[- ]?\\d{2}[- ]?\\d{4}")),
          Map.entry("uri", Formats::uri),
          Map.entry("uuid", uuid("[0-9A-F]{4}", "[0-9A-F]{4}")),
          Map.entry("uuid3", uuid("3[0-9A-F]{3}", "[0-9A-F]{4}")),
          Map.entry("uuid4", uuid("4[0-9A-F]{3}", "[89AB][0-9A-F]{3}")),
          Map.entry("uuid5", uuid("5[0-9A-F]{3}", "[89AB][0-9A-F]{3}")));

  private static final Pattern IPV4 =
      Pattern.compile("((25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)(\\.(?!$)|$)){4}");
  private static final Pattern LABELS =
      Pattern.compile(
          "[a-zA-Z0-9\\p{S}\\p{L}](-?[a-zA-Z0-9\\p{S}\\p{L}]{0,62})?"
              + "|([a-zA-Z0-9\\p{S}\\p{L}]([-a-zA-Z0-9\\p{S}\\p{L}]{0,61}[a-zA-Z0-9\\p{S}\\p{L}])?\\.)+"
              + "[a-zA-Z\\p{L}]{2,63}");
  private static final Pattern MAC =
      Pattern.compile(
          "[0-9a-fA-F]{2}(([:-])[0-9a-fA-F]{2})(\\2[0-9a-fA-F]{2}){4}((\\2[0-9a-fA-F]{2}){2}|(\\2[0-9a-fA-F]{2}){14})?"
              + "|[0-9a-fA-F]{4}\\.[0-9a-fA-F]{4}\\.[0-9a-fA-F]{4}(\\.[0-9a-fA-F]{4}|(\\.[0-9a-fA-F]{4}){7})?");
  private static final Pattern CARD =
      Pattern.compile(
          "4\\d{12}(\\d{3})?|(5[1-5]\\d{4}|222[1-9]\\d\\d|22[3-9]\\d{3}|2[3-6]\\d{4}|27[01]\\d{3}|2720\\d\\d)\\d{10}"
              + "|6(011|5\\d\\d)\\d{12}|3[47]\\d{13}|3(0[0-5]|[68]\\d)\\d{11}|(2131|1800|35\\d{3})\\d{11}|6[27]\\d{14}");
  private static final Pattern COLOR =
      Pattern.compile(
          "rgb\\(\\s*(0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])\\s*,\\s*(0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])\\s*,"
              + "\\s*(0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])\\s*\\)");

  private static final Pattern GO_DURATION =
      Pattern.compile("[-+]?(0|((\\d+(\\.\\d*)?|\\.\\d+)(ns|us|µs|μs|ms|s|m|h))+)");
  private static final Pattern AMOUNT = Pattern.compile("\\d+\\s*([A-Za-zµ]+)");
  private static final Pattern UNIT =
      Pattern.compile(
          "ns|nano.*|us|µs|micro.*|ms|milli.*|s|sec.*|m|min.*|h|hr|hour.*|d|day.*|w|wk|week.*",
          Pattern.CASE_INSENSITIVE);

  private static final int MAX_HOST = 255;
  private static final int MAX_V4 = 32;
  private static final int MAX_V6 = 128;

  private Formats() {}

  /** A duration of Go, or any text with an amount of a unit in it. */
  private static boolean duration(String text) {
    return GO_DURATION.matcher(text).matches()
        || AMOUNT.matcher(text).results().anyMatch(found -> UNIT.matcher(found.group(1)).matches());
  }

  /** Returns whether a text has a format, and true for a format that is not known. */
  public static boolean valid(String format, String text) {
    Predicate<String> known = KNOWN.get(format);
    return known == null || known.test(text);
  }

  private static Predicate<String> pattern(String regex) {
    return Pattern.compile(regex).asMatchPredicate();
  }

  private static Predicate<String> uuid(String third, String fourth) {
    String start = "(?i)[0-9A-F]{8}-?[0-9A-F]{4}-?";
    return pattern(start + third + "-?" + fourth + "-?" + HEX_12);
  }

  private static boolean parses(Runnable parser) {
    try {
      parser.run();
      return true;
    } catch (DateTimeException e) {
      return false;
    }
  }

  private static boolean base64(String text) {
    try {
      return Base64.getDecoder().decode(text) != null;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private static boolean hostname(String text) {
    return text.length() <= MAX_HOST && LABELS.matcher(text).matches();
  }

  private static boolean ipv4(String text) {
    return IPV4.matcher(text).matches();
  }

  /** A literal IPv6 address, with IPv4 at its end or without; no zone. */
  private static boolean address(String text) {
    String tail = text.substring(text.lastIndexOf(':') + 1);
    String whole = text;
    if (tail.indexOf('.') >= 0) {
      if (!ipv4(tail)) {
        return false;
      }
      whole = text.substring(0, text.length() - tail.length()) + "0:0";
    }
    int gap = whole.indexOf("::");
    if (gap != whole.lastIndexOf("::")) {
      return false;
    }
    int groups =
        gap < 0
            ? groups(whole)
            : groups(whole.substring(0, gap)) + groups(whole.substring(gap + 2));
    return gap < 0 ? groups == 8 : groups >= 0 && groups <= 7;
  }

  /** Returns the number of groups between colons, and a large negative one when one is wrong. */
  private static int groups(String text) {
    if (text.isEmpty()) {
      return 0;
    }
    int count = 0;
    for (String group : text.split(":", -1)) {
      if (!group.matches("[0-9a-fA-F]{1,4}")) {
        return -100;
      }
      count++;
    }
    return count;
  }

  private static boolean cidr(String text) {
    int slash = text.indexOf('/');
    if (slash < 0 || !text.substring(slash + 1).matches("0|[1-9]\\d{0,2}")) {
      return false;
    }
    String address = text.substring(0, slash);
    int bits = Integer.parseInt(text.substring(slash + 1));
    return ipv4(address)
        ? bits <= MAX_V4
        : address.indexOf(':') >= 0 && address(address) && bits <= MAX_V6;
  }

  private static boolean mac(String text) {
    return MAC.matcher(text).matches();
  }

  /** As a request names it: absolute, or a path from the root. */
  private static boolean uri(String text) {
    try {
      URI uri = URI.create(text);
      return text.startsWith("/") || uri.isAbsolute();
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private static boolean color(String text) {
    return COLOR.matcher(text).matches();
  }

  private static boolean card(String text) {
    String digits = text.replaceAll("[^0-9]+", "");
    if (!CARD.matcher(digits).matches()) {
      return false;
    }
    int sum = 0;
    for (int i = 0; i < digits.length(); i++) {
      int digit = digits.charAt(digits.length() - 1 - i) - '0';
      int twice = i % 2 == 0 ? digit : digit * 2;
      sum += twice > 9 ? twice - 9 : twice;
    }
    return sum % 10 == 0;
  }

  private static boolean isbn10(String text) {
    String digits = text.replaceAll("[\\s-]+", "");
    if (!digits.matches("\\d{9}[\\dX]")) {
      return false;
    }
    int sum = 0;
    for (int i = 0; i < 10; i++) {
      char c = digits.charAt(i);
      sum += (i + 1) * (c == 'X' ? 10 : c - '0');
    }
    return sum % 11 == 0;
  }

  private static boolean isbn13(String text) {
    String digits = text.replaceAll("[\\s-]+", "");
    if (!digits.matches("\\d{13}")) {
      return false;
    }
    int sum = 0;
    for (int i = 0; i < 13; i++) {
      sum += (i % 2 == 0 ? 1 : 3) * (digits.charAt(i) - '0');
    }
    return sum % 10 == 0;
  }
}
