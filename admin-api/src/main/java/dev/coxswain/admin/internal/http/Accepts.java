// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.http;

import dev.coxswain.admin.internal.json.Problem;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/** Chooses the media type of a response (RFC 9110, section 12.5.1). */
final class Accepts {

  private static final Pattern WEIGHT = Pattern.compile("q=([01](?:\\.[0-9]{0,3})?)");

  private Accepts() {}

  /**
   * Returns the type with the highest quality, the first one of equal quality.
   *
   * @param headers all Accept headers, empty for any type
   * @param offered the available types, the preferred one first
   */
  static String choose(List<String> headers, List<String> offered) {
    if (headers.size() == 1 && headers.getFirst().equals(offered.getFirst())) {
      return offered.getFirst(); // as in requests between replicas
    }
    String all = String.join(",", headers).toLowerCase(Locale.ROOT);
    if (all.isBlank()) {
      return offered.getFirst();
    }
    String best = null;
    double bestWeight = 0;
    for (String type : offered) {
      double weight = weight(all, type.toLowerCase(Locale.ROOT));
      // A range for tables is for them alone, so they come first.
      if (weight > bestWeight || (weight == bestWeight && weight > 0 && isSpecial(type))) {
        best = type;
        bestWeight = weight;
      }
    }
    if (best == null) {
      throw Problem.of(
              406,
              "not-acceptable",
              "Not acceptable",
              "this path responds with "
                  + String.join(" or ", offered)
                  + "; accept one of them, or send no Accept header")
          .rejection();
    }
    return best;
  }

  /** Returns whether a type has a parameter: only a range with this parameter accepts it. */
  private static boolean isSpecial(String type) {
    return type.indexOf(';') >= 0;
  }

  /** Returns the quality of a type by the most specific range; 0 for not acceptable. */
  private static double weight(String accept, String type) {
    String group = type.substring(0, type.indexOf('/')) + "/*";
    int specificity = 0;
    double weight = 0;
    for (String range : accept.split(",", -1)) {
      String[] parts = range.split(";", -1);
      String name = name(parts);
      int found =
          name.equals(type)
              ? 3
              : isSpecial(type) ? 0 : name.equals(group) ? 2 : name.equals("*/*") ? 1 : 0;
      if (found > specificity) {
        specificity = found;
        weight = weight(parts);
      }
    }
    return weight;
  }

  /** Returns the type of a range; of its parameters, those of tables belong to it. */
  private static String name(String[] parts) {
    String name = parts[0].trim();
    String as = "";
    String include = "";
    for (int i = 1; i < parts.length; i++) {
      String parameter = parts[i].trim();
      if (parameter.startsWith("as=")) {
        as = ";" + parameter;
      } else if (parameter.equals("include=object")) {
        include = ";" + parameter;
      }
    }
    return as.isEmpty() ? name : name + as + include;
  }

  private static double weight(String[] parts) {
    for (int i = 1; i < parts.length; i++) {
      var weight = WEIGHT.matcher(parts[i].trim());
      if (weight.matches()) {
        return Double.parseDouble(weight.group(1));
      }
    }
    return 1;
  }
}
