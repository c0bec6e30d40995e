// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.schema;

import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.util.Base64;
import java.util.regex.Pattern;

/** The string formats that are checked; an unknown format holds for every text. */
final class Formats {
  private static final Pattern UUID =
      Pattern.compile("(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$");
  private static final Pattern IPV4 =
      Pattern.compile("^((25[0-5]|2[0-4]\\d|1?\\d?\\d)\\.){3}(25[0-5]|2[0-4]\\d|1?\\d?\\d)$");
  private static final Pattern DURATION =
      Pattern.compile("^[-+]?(\\d+(\\.\\d*)?\\s*(ns|us|µs|ms|s|m|h|d|w|\\w+)?\\s*)+$");
  private static final Pattern EMAIL = Pattern.compile("^[^@\\s]+@[^@\\s]+$");
  private static final Pattern HOSTNAME =
      Pattern.compile("^[A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?$");

  private Formats() {}

  static boolean valid(String format, String text) {
    return switch (format) {
      case "date-time", "datetime" -> dateTime(text);
      case "date" -> date(text);
      case "uuid" -> UUID.matcher(text).matches();
      case "ipv4" -> IPV4.matcher(text).matches();
      case "duration" -> DURATION.matcher(text).matches();
      case "email" -> EMAIL.matcher(text).matches();
      case "hostname" -> HOSTNAME.matcher(text).matches();
      case "byte" -> base64(text);
      default -> true;
    };
  }

  private static boolean dateTime(String text) {
    try {
      return OffsetDateTime.parse(text) != null;
    } catch (DateTimeException e) {
      return false;
    }
  }

  private static boolean date(String text) {
    try {
      return LocalDate.parse(text) != null;
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
}
